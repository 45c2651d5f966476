import type { DiagLogger } from '@opentelemetry/api';
import type { Log } from './logger.js';

/** Milliseconds in which one message is written once: an exporter that is away says so every few seconds. */
const SILENCE = 10 * 60_000;

/** What OpenTelemetry says of itself, as lines of the one log. It begins before there is a log, and is kept until then. */
export class TraceLines implements DiagLogger {
  private readonly writtenAt = new Map<string, number>();
  private early: (() => void)[] | undefined = [];
  private log: Log | undefined;

  /** Says that traces are on, and everything that was kept. */
  writeTo(log: Log, exporter: string): void {
    this.log = log;
    log.info({ exporter }, 'Traces are on');
    for (const write of this.early ?? []) write();
    this.early = undefined;
  }

  error(message: string): void {
    this.write(message);
  }

  warn(message: string): void {
    this.write(message);
  }

  info(): void {}
  debug(): void {}
  verbose(): void {}

  private write(message: string): void {
    if (this.log === undefined) return void this.early?.push(() => this.write(message));
    const text = inBrief(message);
    const now = performance.now();
    if (now < (this.writtenAt.get(text) ?? -Infinity) + SILENCE) return;
    this.writtenAt.set(text, now);
    this.log.warn({ reason: text }, 'Traces');
  }
}

/** Errors of exporters come as JSON with their stacks. */
function inBrief(message: string): string {
  try {
    const { code, name, message: text } = JSON.parse(message) as Record<string, string | undefined>;
    return ['Traces cannot be exported:', name, code, text].filter(Boolean).join(' ');
  } catch {
    return message;
  }
}
