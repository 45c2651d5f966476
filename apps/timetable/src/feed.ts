import {
  type BookingPageDto,
  type BookingsClient,
  ForbiddenError,
  type ListQuery,
  ProblemError,
  UnauthenticatedError,
} from '@booking-service/client';
import { Newest } from './newest.js';
import { MAX_PAUSE, pauseAfter } from './pace.js';
import type { Range } from './ranges.js';
import type { Schedule } from './schedule.js';
import type { List } from './walk.js';
import { WindowReader } from './window-reader.js';

/** Milliseconds between two polls for new bookings. */
export const INTERVAL = 5_000;
/** Milliseconds until a poll is retried after a failure, doubled for each further failure, and their limit. */
const FIRST_BACKOFF = 2_000;
const MAX_BACKOFF = 60_000;
/** Milliseconds between two redraws while a window is read. */
const REDRAW = 400;

/** How fresh the bookings on the page are. */
export interface FeedState {
  /** When the service last responded; undefined until then. */
  readAt?: number;
  /** Share of the window that has been read, 0 to 1. */
  share: number;
  /** Since when a part of the window is not read. */
  readingSince: number;
  /** Since when the service has not responded, why, and when the next poll is. */
  away?: { since: number; error: unknown; again: number };
  /** Until when no request is sent, to leave others their part of the rate limit. */
  pausedUntil?: number;
  /** Whether the service requires another token. */
  isDenied: boolean;
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
  const state: FeedState = { share: 0, readingSince: Date.now(), isDenied: false };
  const newest = new Newest();
  const reader = new WindowReader(schedule);
  /** Whether the service limits requests. */
  let isLimited = false;
  /** Of `performance.now()`. */
  let polledAt = -Infinity;
  let drawnAt = -Infinity;
  /** Before this time, no request is sent. */
  let notBefore = 0;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let turn = new AbortController();
  document.addEventListener('visibilitychange', () => (document.hidden ? stop() : refresh()));
  addEventListener('online', refresh);

  /** Switches to another window, and reads what is not known of it. */
  function show(window: Range): void {
    if (!reader.show(window)) return;
    state.share = reader.share;
    state.readingSince = Date.now();
    begin();
  }

  /** Polls now, and reads the whole window again unless that was just done. */
  function refresh(): void {
    reader.expire();
    polledAt = -Infinity;
    begin();
  }

  /** Polls now, whatever pause the service asked for. */
  function tryNow(): void {
    notBefore = 0;
    refresh();
  }

  function stop(): void {
    clearTimeout(timer);
    turn.abort();
    delete state.pausedUntil;
  }

  function begin(): void {
    stop();
    turn = new AbortController();
    void run(turn.signal);
  }

  async function run(signal: AbortSignal): Promise<void> {
    const list: List = (query) => listPage(query, signal);
    try {
      do {
        // The first request: it shows whether the service requires a token, and which resources there are.
        if (performance.now() - polledAt >= INTERVAL) await poll(list);
      } while (await readOn(list));
      await reader.readAgain(list);
      changed();
      after(INTERVAL, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof UnauthenticatedError || error instanceof ForbiddenError) {
        state.isDenied = true;
        changed();
        denied(error);
      } else {
        fail(error, signal);
      }
    }
  }

  async function listPage(query: ListQuery, signal: AbortSignal): Promise<BookingPageDto> {
    if (notBefore > Date.now()) {
      state.pausedUntil = notBefore;
      changed();
      await sleep(notBefore - Date.now(), signal);
      delete state.pausedUntil;
    }
    const { data, headers } = await client.list(query, { signal, maxRetries: 0 }).withResponse();
    notBefore = Date.now() + pauseAfter(headers);
    isLimited = headers.has('ratelimit');
    failures = 0;
    state.readAt = Date.now();
    delete state.away;
    state.isDenied = false;
    return data;
  }

  async function poll(list: List): Promise<void> {
    const at = performance.now();
    if (!(await newest.read(list, schedule))) {
      reader.forget();
      state.readingSince = Date.now();
    }
    polledAt = at;
  }

  /** @returns whether more of the window may have to be read */
  async function readOn(list: List): Promise<boolean> {
    const isMore = await reader.readPages(list, isLimited);
    state.share = reader.share;
    // The longer it takes, the more there is to draw.
    if (isMore && performance.now() - drawnAt > Math.max(REDRAW, (Date.now() - state.readingSince) / 4)) {
      drawnAt = performance.now();
      changed();
    }
    return isMore;
  }

  function fail(error: unknown, signal: AbortSignal): void {
    const asked = error instanceof ProblemError ? (error.retryAfter ?? 0) * 1_000 : 0;
    const retryAfter = Math.min(MAX_PAUSE, asked);
    const backoff = Math.min(MAX_BACKOFF, FIRST_BACKOFF * 2 ** failures);
    const pause = Math.max(retryAfter, backoff) * (1 + Math.random() / 4);
    failures += 1;
    notBefore = Date.now() + retryAfter;
    polledAt = -Infinity;
    state.away = { since: state.away?.since ?? Date.now(), error, again: Date.now() + pause };
    changed();
    after(pause, signal);
  }

  function after(pause: number, signal: AbortSignal): void {
    if (!document.hidden && !signal.aborted) timer = setTimeout(() => void run(signal), pause);
  }

  return { state: state as Readonly<FeedState>, show, refresh, tryNow };
}

function sleep(duration: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, duration);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}
