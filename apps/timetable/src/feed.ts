import { type BookingsClient, ForbiddenError, ProblemError, UnauthenticatedError } from '@booking-service/client';
import type { Schedule } from './schedule.js';
import type { Span } from './span.js';

/** Milliseconds from one look for new bookings to the next. */
export const INTERVAL = 5_000;
/** Milliseconds until the first look after one that failed, doubled for each that fails after it, and its bound. */
const FIRST_BACKOFF = 2_000;
const MAX_BACKOFF = 60_000;
/**
 * Milliseconds after which the whole window is read again: a booking whose clock or commit was late can be older than
 * one that is known, and is then not among the newest.
 */
const WHOLE_AFTER = 5 * 60_000;
/** Of the newest bookings, as many as tell which resources there are. */
const LATELY = 100;
const NEWEST = 10;

/** How it stands with what is shown. */
export interface FeedState {
  /** When the service last responded; undefined until then. */
  readAt?: number;
  /** Whether the window is being read for the first time. */
  reading: boolean;
  /** Since when the service does not respond, why, and when it is asked again. */
  away?: { since: number; error: unknown; again: number };
}

/**
 * Reads the window that is shown, and then asks for what is new in turns, for as long as the page is seen.
 *
 * @param changed called when there are other bookings, or another state
 * @param denied called when the service wants another token; `refresh` goes on
 */
export function makeFeed(
  client: BookingsClient,
  schedule: Schedule,
  changed: () => void,
  denied: (error: UnauthenticatedError | ForbiddenError) => void,
) {
  const state: FeedState = { reading: true };
  let window: Span | undefined;
  /** When the window was last read as a whole; undefined while it has to be. */
  let wholeAt: number | undefined;
  let knowsNewest = false;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let turn = new AbortController();
  document.addEventListener('visibilitychange', () => (document.hidden ? clearTimeout(timer) : refresh()));
  addEventListener('online', refresh);

  /** Shows another window: it is read at once. */
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
      // Before any other request: it tells whether the service wants a token, and which resources there are.
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
    const asked = error instanceof ProblemError ? (error.retryAfter ?? 0) * 1_000 : 0;
    const backoff = Math.min(MAX_BACKOFF, FIRST_BACKOFF * 2 ** failures);
    const pause = Math.max(asked, backoff) * (1 + Math.random() / 4);
    failures += 1;
    // Bookings may have been made that are not among the newest when the service is back.
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
      // What is drawn first, and then all of it: not every page between.
      if (isFirst) changed();
      isFirst = false;
    }
    wholeAt = at;
  }

  /** @returns false where there may be more new ones than this reads */
  async function readNewest(limit: number, signal: AbortSignal): Promise<boolean> {
    const { bookings } = await client.list({ sort: '-created_at', limit }, { signal, maxRetries: 0 });
    return schedule.add(bookings) < limit;
  }

  return { state: state as Readonly<FeedState>, show, refresh };
}
