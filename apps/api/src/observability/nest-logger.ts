import type { LoggerService } from '@nestjs/common';
import type { Level } from 'pino';
import type { Log } from './logger.js';

/** Nest's logger, and with it every `new Logger(context)`, as lines of the one log. */
export class NestLog implements LoggerService {
  constructor(private readonly lines: Log) {}

  /** Nest says at this level how it starts: every module, every route. */
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
