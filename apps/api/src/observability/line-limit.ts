import type { Log } from './logger.js';

/** Which rejected requests are logged; with `some`, a number of them. */
export const loggedRejections = ['all', 'some', 'none'] as const;

/** Lines of one kind in a window, and the milliseconds of the window. */
const MAX_LINES = 20;
const WINDOW = 10_000;

/**
 * Bounds the lines of requests, by kind: anyone can cause any number of them, and each line is written before the next
 * request is served.
 */
export class LineLimit {
  private readonly counts = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;

  /** @param field in which the line of those that were left out names their kind */
  constructor(
    private readonly log: Log,
    private readonly field: string,
  ) {}

  /** Whether one more line of a kind may be written. */
  take(kind: string): boolean {
    this.timer ??= setTimeout(() => this.end(), WINDOW).unref();
    const count = (this.counts.get(kind) ?? 0) + 1;
    this.counts.set(kind, count);
    return count <= MAX_LINES;
  }

  /** Ends the window: logs how many lines it left out. */
  end(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const [kind, count] of this.counts) {
      if (count > MAX_LINES) this.log.notice({ [this.field]: kind, lines: count - MAX_LINES }, 'Lines left out');
    }
    this.counts.clear();
  }
}
