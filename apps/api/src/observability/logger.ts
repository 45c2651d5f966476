import { isatty } from 'node:tty';
import { type DestinationStream, type Logger, pino } from 'pino';
import { errorFields } from './error-fields.js';

export type Log = Logger;

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export const logFormats = ['json', 'pretty'] as const;

export interface LogSettings {
  /** The least level that is written. */
  readonly level: (typeof logLevels)[number];
  /** Undefined takes the readable one where standard output is a terminal, and JSON elsewhere. */
  readonly format: (typeof logFormats)[number] | undefined;
}

const STANDARD_OUTPUT = 1;

/**
 * The log of the process, on standard output. A line is written before the call returns, so that none is
 * lost however the process ends.
 *
 * @param moreFields is asked for further fields of every line
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
  return pretty({ sync: true, destination: STANDARD_OUTPUT, translateTime: 'SYS:HH:MM:ss.l' });
}
