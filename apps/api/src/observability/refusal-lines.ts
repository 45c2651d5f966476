import type { Log } from './logger.js';

export const loggedRefusals = ['all', 'some', 'none'] as const;

/** Lines of one problem in a window, and the milliseconds of it. */
const MOST_LINES = 20;
const WINDOW = 10_000;

/**
 * Which requests that were turned away get a line. Anyone can cause any number of them, and each is written before the
 * next request is served.
 */
export class RefusalLines {
  private readonly counts = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly log: Log,
    private readonly wanted: (typeof loggedRefusals)[number],
  ) {}

  /** Whether one more line of a problem is written. */
  take(problem: string): boolean {
    if (this.wanted !== 'some') return this.wanted === 'all';
    this.timer ??= setTimeout(() => this.end(), WINDOW).unref();
    const count = (this.counts.get(problem) ?? 0) + 1;
    this.counts.set(problem, count);
    return count <= MOST_LINES;
  }

  /** Says how many lines were left out, and begins anew. */
  end(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const [problem, count] of this.counts) {
      if (count > MOST_LINES) this.log.notice({ problem, lines: count - MOST_LINES }, 'Lines left out');
    }
    this.counts.clear();
  }
}
