import { type BookingsClient, ForbiddenError, ProblemError, UnauthenticatedError } from '@booking-service/client';
import type { Schedule } from './schedule.js';
import type { Span } from './span.js';

/** Milliseconds between two polls for new bookings. */
export const INTERVAL = 5_000;
/** Milliseconds until a poll is retried after a failure, doubled for each further failure, and their limit. */
const FIRST_BACKOFF = 2_000;
const MAX_BACKOFF = 60_000;
/**
 * Milliseconds after which the whole window is read again: a booking that was committed late can be older than a known
 * one, and is then not among the newest.
 */
const WHOLE_AFTER = 5 * 60_000;
/** Number of newest bookings that are read to find resources. */
const LATELY = 100;
const NEWEST = 10;

/** How fresh the bookings on the page are. */
export interface FeedState {
  /** When the service last responded; undefined until then. */
  readAt?: number;
  /** Whether the window is being read for the first time. */
  reading: boolean;
  /** Since when the service has not responded, why, and when the next poll is. */
  away?: { since: number; error: unknown; again: number };
}

/**
 * Reads the window on the page, then polls for new bookings while the page is visible.
 *
 * @param changed called when the bookings or the state changed
 * @param denied called when the service requires another token; `refresh` continues
 */
export function makeFeed(
  client: BookingsClient,
  schedule: Schedule,
  changed: () => void,
  denied: (error: UnauthenticatedError | ForbiddenError) => void,
) {
  const state: FeedState = { reading: true };
  let window: Span | undefined;
  /** When the whole window was last read; undefined if it must be read. */
  let wholeAt: number | undefined;
  let knowsNewest = false;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let turn = new AbortController();
  document.addEventListener('visibilitychange', () => (document.hidden ? clearTimeout(timer) : refresh()));
  addEventListener('online', refresh);

  /** Switches to another window and reads it immediately. */
  function show(next: Span): void {
    if (window?.start === next.start && window.end === next.end) return;
    window = next;
    state.reading = true;
    refresh();
  }

  /** Reads the whole window again, now. */
  function refresh(): void {
    clearTimeout(timer);
    turn.abort();
    turn = new AbortController();
    wholeAt = undefined;
    void next(turn.signal);
  }

  async function next(signal: AbortSignal): Promise<void> {
    try {
      // Before any other request: it shows whether the service requires a token, and which resources there are.
      if (!knowsNewest) await readNewest(LATELY, signal);
      knowsNewest = true;
      const isDue = wholeAt === undefined || Date.now() - wholeAt > WHOLE_AFTER;
      if (isDue || !(await readNewest(NEWEST, signal))) await readWhole(signal);
      failures = 0;
      state.readAt = Date.now();
      state.reading = false;
      delete state.away;
      changed();
      after(INTERVAL, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof UnauthenticatedError || error instanceof ForbiddenError) denied(error);
      else fail(error, signal);
    }
  }

  function fail(error: unknown, signal: AbortSignal): void {
    const retryAfter = error instanceof ProblemError ? (error.retryAfter ?? 0) * 1_000 : 0;
    const backoff = Math.min(MAX_BACKOFF, FIRST_BACKOFF * 2 ** failures);
    const pause = Math.max(retryAfter, backoff) * (1 + Math.random() / 4);
    failures += 1;
    // When the service is back, bookings created meanwhile may not be among the newest.
    wholeAt = undefined;
    state.away = { since: state.away?.since ?? Date.now(), error, again: Date.now() + pause };
    changed();
    after(pause, signal);
  }

  function after(pause: number, signal: AbortSignal): void {
    if (!document.hidden && !signal.aborted) timer = setTimeout(() => void next(signal), pause);
  }

  async function readWhole(signal: AbortSignal): Promise<void> {
    const at = Date.now();
    if (window === undefined) return;
    const [from, to] = [window.start, window.end].map((instant) => new Date(instant).toISOString());
    let isFirst = true;
    for await (const { bookings } of client.listPages(
      { sort: 'start', limit: LATELY, from, to },
      { signal, maxRetries: 0 },
    )) {
      schedule.add(bookings);
      // Draws the first page, and then all of them; not every page between.
      if (isFirst) changed();
      isFirst = false;
    }
    wholeAt = at;
  }

  /** @returns false if there may be more new bookings than these */
  async function readNewest(limit: number, signal: AbortSignal): Promise<boolean> {
    const { bookings } = await client.list({ sort: '-created_at', limit }, { signal, maxRetries: 0 });
    return schedule.add(bookings) < limit;
  }

  return { state: state as Readonly<FeedState>, show, refresh };
}
