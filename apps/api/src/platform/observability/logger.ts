import { writeFileSync } from 'node:fs';
import { isatty } from 'node:tty';
import { isNativeError } from 'node:util/types';
import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import { printError } from '../print.js';

export type Log = Logger;

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export const logFormats = ['json', 'pretty'] as const;

export interface LogSettings {
  /** The lowest level that is written. */
  readonly level: (typeof logLevels)[number];
  /** If undefined, `pretty` in a terminal and `json` elsewhere. */
  readonly format: (typeof logFormats)[number] | undefined;
}

const STANDARD_OUTPUT = 1;

/**
 * The log of the process, on standard output. Lines are written synchronously, so none is lost however the process
 * ends. On a full disk or a closed pipe lines are dropped, and standard error says so.
 */
export async function createLog({ level, format }: LogSettings): Promise<Log> {
  const isPretty = (format ?? (isatty(STANDARD_OUTPUT) ? 'pretty' : 'json')) === 'pretty';
  const output = standardOutput();
  return logTo(isPretty ? await readable(output) : output, level);
}

/** Drops lines that cannot be written: on a full disk or a closed pipe, a stream would keep them or end the process. */
function standardOutput(): DestinationStream {
  let isFailing = false;
  const write = (line: string): void => {
    try {
      writeFileSync(STANDARD_OUTPUT, line);
      isFailing = false;
    } catch (error) {
      if (!isFailing) printError(`The log cannot be written, and lines are dropped: ${(error as Error).message}\n`);
      isFailing = true;
    }
  };
  return { write };
}

export function logTo(output: DestinationStream, level: LogSettings['level']): Log {
  return pino(
    {
      level,
      // The collector of the lines knows the process and the host.
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorFields },
    },
    output,
  );
}

/** Lines for people. The stream of pino-pretty would end at the first line that cannot be written. */
async function readable(output: DestinationStream): Promise<DestinationStream> {
  const { prettyFactory } = await import('pino-pretty');
  const format = prettyFactory({ translateTime: 'SYS:HH:MM:ss.l' });
  return { write: (line) => output.write(format(line)) };
}

/** Nest's loggers of a start, with a line for each module and route. */
const OF_START = new Set<unknown>([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

/** Writes what Nest's loggers, every `new Logger(context)` included, log to the one log. */
export function nestLogger(log: Log): LoggerService {
  const at =
    (level: Level) =>
    (message: unknown, ...rest: unknown[]): void => {
      const context = rest.at(-1);
      const err = message instanceof Error ? message : undefined;
      // Nest gives a stack to `error` alone, before the context.
      const stack = level === 'error' && rest.length > 1 ? rest[0] : undefined;
      const isOfStart = level === 'info' && OF_START.has(context);
      log[isOfStart ? 'debug' : level]({ context, err, stack }, err?.message ?? String(message));
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

/** The most causes that are followed: a longer chain is probably circular. */
const MAX_CAUSES = 5;

/** The logged fields of an error. Others may hold data: PostgreSQL quotes the row in `detail` and `where`. */
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

/** An error in a few words, for lines without its stack. */
export function inBrief(error: unknown): string | undefined {
  if (!isNativeError(error)) return undefined;
  // A refused connection to a host with several addresses has a code but no message.
  return [codeOf(error), error.message].filter(Boolean).join(' ');
}

function codeOf(error: Error): string | undefined {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : undefined;
}
