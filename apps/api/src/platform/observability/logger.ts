import { isatty } from 'node:tty';
import { isNativeError } from 'node:util/types';
import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import { printError } from '../print.js';

export type Log = Logger;

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export const logFormats = ['json', 'pretty'] as const;

interface LogSettings {
  readonly level: (typeof logLevels)[number];
  /** Default: `pretty` in a terminal, `json` elsewhere. */
  readonly format: (typeof logFormats)[number] | undefined;
}

const STANDARD_OUTPUT = 1;

/**
 * The log on standard output. Lines are written synchronously: while the output accepts them, none is lost however the
 * process ends.
 */
export async function createLog({ level, format }: LogSettings): Promise<Log> {
  const isPretty = (format ?? (isatty(STANDARD_OUTPUT) ? 'pretty' : 'json')) === 'pretty';
  const output = standardOutput();
  return logTo(isPretty ? await readable(output) : output, level);
}

/** Maximum bytes of lines kept while the output cannot be written; further lines are dropped. */
const MAX_KEPT = 1_048_576;

/** A full disk or a closed pipe does not end the service. A full pipe holds it until the pipe is read. */
function standardOutput(): DestinationStream {
  let isFailing = false;
  // A full pipe that another process has made non-blocking would hold it for ever.
  const retryEAGAIN = (): boolean => false;
  const output = pino.destination({ dest: STANDARD_OUTPUT, sync: true, maxLength: MAX_KEPT, retryEAGAIN });
  output.on('error', ({ message }: Error) => {
    if (!isFailing) printError(`The log cannot be written, and lines may be lost: ${message}\n`);
    isFailing = true;
  });
  output.on('write', (bytes: number) => {
    if (bytes > 0) isFailing = false;
  });
  return output;
}

export function logTo(output: DestinationStream, level: LogSettings['level']): Log {
  return pino(
    {
      level,
      // Whatever collects the log already knows the process and the host.
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorFields },
    },
    output,
  );
}

/** Formats each line by itself: as a stream, pino-pretty would end at the first dropped line. */
async function readable(output: DestinationStream): Promise<DestinationStream> {
  const { prettyFactory } = await import('pino-pretty');
  const format = prettyFactory({ translateTime: 'SYS:HH:MM:ss.l' });
  return { write: (line) => output.write(format(line)) };
}

/** Nest's loggers that report its start, mostly with a line for each module or route. */
const STARTUP_LOGGERS = new Set<unknown>([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

/** Writes the lines of Nest's loggers, every `new Logger(context)` included, to the log. */
export function nestLogger(log: Log): LoggerService {
  const at =
    (level: Level) =>
    (message: unknown, ...rest: unknown[]): void => {
      const context = rest.at(-1);
      const err = message instanceof Error ? message : undefined;
      // Nest passes a stack only to `error`, before the context.
      const stack = level === 'error' && rest.length > 1 ? rest[0] : undefined;
      const isStartup = level === 'info' && STARTUP_LOGGERS.has(context);
      log[isStartup ? 'debug' : level]({ context, err, stack }, err?.message ?? String(message));
    };
  return {
    verbose: at('trace'),
    debug: at('debug'),
    log: at('info'),
    warn: at('warn'),
    error: at('error'),
    fatal: at('fatal'),
  };
}

/** Maximum causes of an error that are logged: a longer chain is probably circular. */
const MAX_CAUSES = 5;

/**
 * The fields of an error that are logged. Other fields may hold data: PostgreSQL quotes rows in `detail` and `where`.
 */
function errorFields(error: unknown, causes = MAX_CAUSES): object {
  if (!isNativeError(error)) return { type: typeof error, message: 'A value that is not an Error was thrown.' };
  const { name, message, stack, cause } = error;
  const code = codeOf(error);
  return {
    type: name,
    message,
    ...(code !== undefined && { code }),
    ...(stack !== undefined && { stack }),
    ...(cause !== undefined && causes > 0 && { cause: errorFields(cause, causes - 1) }),
  };
}

export function inBrief(error: unknown): string | undefined {
  if (!isNativeError(error)) return undefined;
  // If a host has several addresses, and all refuse the connection, the error has a code but no message.
  return [codeOf(error), error.message].filter(Boolean).join(' ');
}

function codeOf(error: Error): string | undefined {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : undefined;
}
