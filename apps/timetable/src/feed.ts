import {
  type BookingPageDto,
  type BookingsClient,
  ForbiddenError,
  type ListQuery,
  ProblemError,
  UnauthenticatedError,
} from '@booking-service/client';
import { type List, Reader } from './reader.js';
import type { Range, Schedule } from './schedule.js';

/** Milliseconds between two polls for new bookings. */
export const INTERVAL = 5_000;
/**
 * Milliseconds after which the whole window is read again: a booking that was committed late can be older than a known
 * one, and is then not among the newest; a deleted one is not there any more.
 */
const WHOLE = 5 * 60_000;
/** Pages of a window that are read again at each poll. */
const AT_ONCE = 3;
/** Milliseconds until a retry after a failure, doubled for each further failure, and their limit. */
const BACKOFF = { first: 2_000, most: 60_000 };
/** The longest pause that a service is granted, in milliseconds: after it, one request asks again. */
const MAX_PAUSE = 5 * 60_000;
/** Milliseconds between two redraws while a window is read. */
const REDRAW = 2_000;

/** How fresh the bookings on the page are. */
export interface FeedState {
  /** When the service last responded; undefined until then. */
  readAt?: number;
  /** Share of the window that has been read, 0 to 1. */
  readonly share: number;
  /** Since when a part of the window is not read. */
  readingSince: number;
  /** Since when the service has not responded, why, and when the next poll is. */
  outage?: { since: number; error: unknown; again: number };
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
  const state: FeedState = {
    get share() {
      return schedule.share;
    },
    readingSince: 0,
    isDenied: false,
  };
  const reader = new Reader(schedule);
  /** Of `performance.now()`. */
  let polledAt = -Infinity;
  let wholeAt = -Infinity;
  /** Before this time, no request is sent. */
  let notBefore = 0;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let turn = new AbortController();
  document.addEventListener('visibilitychange', () => (document.hidden ? stop() : refresh()));
  addEventListener('online', refresh);

  /** Switches to another window, and reads it. */
  function show({ start, end }: Range): void {
    if (schedule.window.start === start && schedule.window.end === end) return;
    schedule.show({ start, end });
    beginWindow();
    begin();
  }

  /** Polls now, and reads the whole window again. */
  function refresh(): void {
    wholeAt = polledAt = -Infinity;
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
  }

  function begin(): void {
    stop();
    turn = new AbortController();
    void run(turn.signal);
  }

  function beginWindow(): void {
    reader.begin();
    state.readingSince = Date.now();
  }

  async function run(signal: AbortSignal): Promise<void> {
    delete state.pausedUntil;
    const list: List = (query) => listPage(query, signal);
    let drawnAt = -Infinity;
    try {
      for (let pages = 0; notBefore <= Date.now(); pages++) {
        // The first request: it shows whether the service requires a token, and which resources there are.
        if (performance.now() - polledAt >= INTERVAL) await poll(list);
        if (!reader.isReading || (schedule.share === 1 && pages >= AT_ONCE)) break;
        await reader.readPage(list);
        if (performance.now() - drawnAt < REDRAW) continue;
        drawnAt = performance.now();
        changed();
      }
      if (notBefore > Date.now()) state.pausedUntil = notBefore;
      changed();
      after(state.pausedUntil === undefined ? INTERVAL : notBefore - Date.now(), signal);
    } catch (error) {
      if (!signal.aborted) fail(error, signal);
    }
  }

  async function poll(list: List): Promise<void> {
    const at = performance.now();
    const isWhole = Date.now() - wholeAt > WHOLE;
    if (isWhole && !reader.isReading) reader.begin();
    if (!(await reader.readNewest(list))) {
      schedule.forgetRead();
      beginWindow();
    }
    schedule.isStale = false;
    if (isWhole) wholeAt = Date.now();
    polledAt = at;
  }

  async function listPage(query: ListQuery, signal: AbortSignal): Promise<BookingPageDto> {
    const { data, headers } = await client.list(query, { signal, maxRetries: 0 }).withResponse();
    signal.throwIfAborted();
    notBefore = Date.now() + pauseAfter(headers);
    failures = 0;
    state.readAt = Date.now();
    delete state.outage;
    state.isDenied = false;
    return data;
  }

  function fail(error: unknown, signal: AbortSignal): void {
    schedule.isStale = true;
    polledAt = -Infinity;
    if (error instanceof UnauthenticatedError || error instanceof ForbiddenError) {
      state.isDenied = true;
      changed();
      denied(error);
      return;
    }
    const asked = error instanceof ProblemError ? (error.retryAfter ?? 0) * 1_000 : 0;
    const retryAfter = Math.min(MAX_PAUSE, asked);
    const backoff = Math.min(BACKOFF.most, BACKOFF.first * 2 ** failures);
    const pause = Math.max(retryAfter, backoff) * (1 + Math.random() / 4);
    failures += 1;
    notBefore = Date.now() + retryAfter;
    state.outage = { since: state.outage?.since ?? Date.now(), error, again: Date.now() + pause };
    changed();
    after(pause, signal);
  }

  function after(pause: number, signal: AbortSignal): void {
    if (!document.hidden && !signal.aborted) timer = setTimeout(() => void run(signal), pause);
  }

  return { state: state as Readonly<FeedState>, show, refresh, tryNow };
}

/**
 * How long to wait after a response, so that a quarter of the caller's rate limit is left to others
 * (draft-ietf-httpapi-ratelimit-headers).
 *
 * @returns milliseconds
 */
function pauseAfter(headers: Headers): number {
  const [, limit] = /;q=(\d+)/.exec(headers.get('ratelimit-policy') ?? '') ?? [];
  const [, left, reset] = /;r=(\d+);t=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
  const isLow = limit !== undefined && left !== undefined && Number(left) <= Number(limit) / 4;
  return isLow ? Math.min(MAX_PAUSE, Number(reset) * 1_000) : 0;
}
