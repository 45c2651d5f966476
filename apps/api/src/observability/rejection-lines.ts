import type { Log } from './logger.js';

export const loggedRejections = ['all', 'some', 'none'] as const;

/** Lines that one problem may have in a window, and the milliseconds of the window. */
const MAX_LINES = 20;
const WINDOW = 10_000;

/**
 * Decides which rejected requests are logged. Anyone can cause any number of them, and each line is written before the
 * next request is served.
 */
export class RejectionLines {
  private readonly counts = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly log: Log,
    private readonly logged: (typeof loggedRejections)[number],
  ) {}

  /** Whether one more line of a problem may be written. */
  take(problem: string): boolean {
    if (this.logged !== 'some') return this.logged === 'all';
    this.timer ??= setTimeout(() => this.end(), WINDOW).unref();
    const count = (this.counts.get(problem) ?? 0) + 1;
    this.counts.set(problem, count);
    return count <= MAX_LINES;
  }

  /** Ends the window: logs how many lines it left out. */
  end(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const [problem, count] of this.counts) {
      if (count > MAX_LINES) this.log.notice({ problem, lines: count - MAX_LINES }, 'Lines left out');
    }
    this.counts.clear();
  }
}
