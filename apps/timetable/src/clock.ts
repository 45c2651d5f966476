/**
 * The three meanings of time: what the clock shows (`Date.now()`), how much time has passed (`elapsed`), and how old
 * something is (`ageOf`).
 */

/** A moment that has been: what the clock showed then, and `elapsed()` then. */
export interface Moment {
  readonly at: number;
  readonly elapsed: number;
}

export function moment(): Moment {
  return { at: Date.now(), elapsed: elapsed() };
}

/** Milliseconds since the page was opened, for pauses: only grows, but may stand still while the computer sleeps. */
export function elapsed(): number {
  return performance.now();
}

/** What the clock will show at a future value of `elapsed()`. */
export function clockAt(future: number): number {
  return Date.now() + future - elapsed();
}

/** The age of a moment: at least what has passed since, and more if the computer slept or the clock was set. */
export function ageOf({ at, elapsed: then }: Moment): number {
  return Math.max(Math.abs(Date.now() - at), elapsed() - then);
}
