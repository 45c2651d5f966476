import { isatty } from 'node:tty';
import { isNativeError } from 'node:util/types';
import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import { printError } from './print.js';

/** The level of rejected requests, between info and warn (RFC 5424 §6.2.1): normal but significant. */
const NOTICE = { notice: 35 };

export type Log = Logger<keyof typeof NOTICE>;

/** The token under which Nest injects a {@link Log}. */
export const LOG = Symbol('log');

export const logLevels = ['trace', 'debug', 'info', 'notice', 'warn', 'error', 'fatal', 'silent'] as const;
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
 *
 * @param moreFields returns further fields of a line; called for every line
 */
export async function createLog({ level, format }: LogSettings, moreFields?: () => object): Promise<Log> {
  const isPretty = (format ?? (isatty(STANDARD_OUTPUT) ? 'pretty' : 'json')) === 'pretty';
  const output = standardOutput((cause) => printError(`The log cannot be written, and lines are dropped: ${cause}\n`));
  return logTo(isPretty ? await readable(output) : output, level, moreFields);
}

/**
 * Writes lines to a file descriptor, and drops those that cannot be written.
 *
 * @param onFault called once, and again only after lines were written
 */
export function standardOutput(onFault: (cause: string) => void, fd = STANDARD_OUTPUT): DestinationStream {
  let isFailing = false;
  const open = (): DestinationStream => {
    const opened = pino.destination({ dest: fd, sync: true });
    // Pino's own listener ends the log for good if a pipe was closed, and the process for every other error.
    opened.removeAllListeners('error').on('error', (error: Error) => {
      if (!isFailing) onFault(error.message);
      isFailing = true;
      // The one that failed keeps its lines.
      output = open();
    });
    opened.on('write', () => (isFailing = false));
    return opened;
  };
  let output = open();
  return { write: (line) => output.write(line) };
}

export function logTo(output: DestinationStream, level: LogSettings['level'], moreFields?: () => object): Log {
  return pino(
    {
      level,
      customLevels: NOTICE,
      // The collector of the lines knows the process and the host.
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorFields },
      ...(moreFields && { mixin: moreFields }),
    },
    output,
  );
}

/** Lines for people. Not with the stream of pino-pretty, which ends at the first line that cannot be written. */
async function readable(output: DestinationStream): Promise<DestinationStream> {
  const { prettyFactory } = await import('pino-pretty');
  const format = prettyFactory({ translateTime: 'SYS:HH:MM:ss.l', customLevels: { ...pino.levels.values, ...NOTICE } });
  return { write: (line) => output.write(format(line)) };
}

/** Writes what Nest's loggers, including every `new Logger(context)`, log to the one log. */
export class NestLog implements LoggerService {
  constructor(private readonly lines: Log) {}

  /** Nest logs its start at this level: every module, every route. */
  log(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest.at(-1));
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest.at(-1));
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest.at(-1));
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest.at(-1));
  }

  /** @param rest the stack, if there is one, and the context */
  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest.at(-1), rest.length > 1 ? rest[0] : undefined);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest.at(-1));
  }

  private write(level: Level, message: unknown, context: unknown, stack?: unknown): void {
    const err = message instanceof Error ? message : undefined;
    this.lines[level]({ context, err, stack }, err?.message ?? String(message));
  }
}

interface ErrorFields {
  type: string;
  message: string;
  code?: string;
  stack?: string;
  cause?: ErrorFields;
}

/** Causes that are followed at most; a longer chain is probably circular. */
const MAX_CAUSES = 5;

/** The fields of an error that are logged. Not all members: PostgreSQL quotes the row in `detail` and `where`. */
function errorFields(error: unknown, causes = MAX_CAUSES): ErrorFields {
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
