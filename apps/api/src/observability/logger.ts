import { isatty } from 'node:tty';
import { isNativeError } from 'node:util/types';
import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Level, type Logger, pino } from 'pino';

/** The level of refused requests, between info and warn (RFC 5424 §6.2.1): normal, and worth a look. */
const NOTICE = { notice: 35 };

export type Log = Logger<keyof typeof NOTICE>;

/** The token under which Nest injects a {@link Log}. */
export const LOG = Symbol('log');

export const logLevels = ['trace', 'debug', 'info', 'notice', 'warn', 'error', 'fatal', 'silent'] as const;
export const logFormats = ['json', 'pretty'] as const;

export interface LogSettings {
  /** The lowest level that is written. */
  readonly level: (typeof logLevels)[number];
  /** Undefined takes `pretty` where standard output is a terminal, and `json` elsewhere. */
  readonly format: (typeof logFormats)[number] | undefined;
}

const STANDARD_OUTPUT = 1;

/**
 * The log of the process, on standard output. A line is written before the call returns, so that none is
 * lost however the process ends.
 *
 * @param moreFields is called for further fields of every line
 */
export async function createLog({ level, format }: LogSettings, moreFields?: () => object): Promise<Log> {
  const isPretty = (format ?? (isatty(STANDARD_OUTPUT) ? 'pretty' : 'json')) === 'pretty';
  return logTo(
    isPretty ? await prettyOutput() : pino.destination({ dest: STANDARD_OUTPUT, sync: true }),
    level,
    moreFields,
  );
}

export function logTo(output: DestinationStream, level: LogSettings['level'], moreFields?: () => object): Log {
  return pino(
    {
      level,
      customLevels: NOTICE,
      // The process and the host are known to whatever collects the lines.
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorFields },
      ...(moreFields && { mixin: moreFields }),
    },
    output,
  );
}

async function prettyOutput(): Promise<DestinationStream> {
  const { default: pretty } = await import('pino-pretty');
  return pretty({ sync: true, destination: STANDARD_OUTPUT, translateTime: 'SYS:HH:MM:ss.l', customLevels: NOTICE });
}

/** Nest's logger, and with it every `new Logger(context)`, as lines of the one log. */
export class NestLog implements LoggerService {
  constructor(private readonly lines: Log) {}

  /** Nest logs at this level how it starts: every module, every route. */
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

  /** @param rest a stack, where there is one, and the context */
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

/** How many causes are followed; a chain that is longer is likely to be a ring. */
const MAX_CAUSES = 5;

/**
 * What the log has of an error. Not every member of it: PostgreSQL names the values of the row in
 * `detail` and `where`, and those are payload.
 */
function errorFields(error: unknown, causes = MAX_CAUSES): ErrorFields {
  if (!isNativeError(error)) return { type: typeof error, message: 'A value was thrown that is not an Error.' };
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

/** An error in a few words, where its stack says nothing. */
export function inBrief(error: unknown): string | undefined {
  if (!isNativeError(error)) return undefined;
  // A refused connection to a name with several addresses has a code and no message.
  return [codeOf(error), error.message].filter(Boolean).join(' ');
}

function codeOf(error: Error): string | undefined {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : undefined;
}
