/** Reads all bookings of a window, again and again, and polls for the newest ones, while the page is visible. */

import {
  type BookingOperations,
  type BookingPageDto,
  ForbiddenError,
  InvalidRequestError,
  type ListQuery,
  ProblemError,
  UnauthenticatedError,
} from '@booking-service/client';
import { type Bookings, INTERVAL } from './bookings.js';
import { elapsed, type Moment, moment } from './clock.js';
import type { Range } from './time.js';

/** Number of polls after which a round is due. Rounds find what polls miss: deletions, and bookings committed late. */
const ROUND_POLLS = 12;
const PAGE_SIZE = 100;
const POLL_SIZE = 20;
/**
 * Bounds of the pause before a retry, in milliseconds, without its jitter and without `Retry-After`. Between them, the
 * pause is the time since the first failure.
 */
const MIN_BACKOFF = 2_000;
const MAX_BACKOFF = 60_000;
/** The longest pause that the service may impose, in milliseconds. */
const MAX_PAUSE = 5 * 60_000;

/**
 * Reads in turns. A turn polls, if that is due, for the newest bookings, whatever their time. While a round through the
 * window is under way, the turn also reads the round's next page.
 */
export class Feed {
  /** An unbroken series of failed turns: when the first was, and the last error. Undefined after a success. */
  failure: { readonly since: Moment; readonly error: unknown } | undefined;
  /** When the next turn begins, as `elapsed()`. */
  nextTurnAt = 0;
  /** Before this value of `elapsed()`, no turn begins: for `Retry-After`, or to leave some of the rate limit to others. */
  notBefore = 0;
  #polls = 0;
  #nextPollAt = 0;
  /** The cursor of the round's next page: undefined for the first page, null after the last. */
  #cursor: string | null | undefined;
  /** Ids of the bookings that the last poll returned. */
  #newest: ReadonlySet<string> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Aborted when the feed stops or restarts. */
  #running = new AbortController();

  constructor(
    private readonly client: Pick<BookingOperations, 'list'>,
    private readonly bookings: Bookings,
    private readonly changed: () => void,
  ) {
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) this.#stop();
      else this.refresh();
    });
  }

  /** Whether the last read failed with a 401 or 403. */
  get isDenied(): boolean {
    return isDenial(this.failure?.error);
  }

  /** Reads another window. */
  show({ start, end }: Range): void {
    this.bookings.show({ start, end });
    this.#requestRound();
    this.#restart();
  }

  /**
   * Polls now, or after a pause that the service has imposed, and begins a round unless one is under way.
   *
   * @param isForced whether to ignore that pause, and the failures so far
   */
  refresh(isForced = false): void {
    if (isForced) {
      this.notBefore = 0;
      // A series of failures ends with what a user has done about it, such as another token.
      this.failure = undefined;
    }
    this.#nextPollAt = 0;
    if (this.#cursor === null) this.#requestRound();
    this.#restart();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#running.abort();
  }

  #restart(): void {
    this.#stop();
    this.#running = new AbortController();
    void this.#takeTurns(this.#running.signal);
  }

  /** Makes the next page that is read the first of a round, even while another round is under way. */
  #requestRound(): void {
    this.#polls = 0;
    this.#cursor = undefined;
  }

  /** Takes a turn, and further turns while part of the window is unread, then schedules the next one. */
  async #takeTurns(signal: AbortSignal): Promise<void> {
    this.changed();
    try {
      while (this.notBefore <= elapsed()) {
        if (this.#nextPollAt <= elapsed()) await this.#poll(signal);
        if (this.#cursor !== null) await this.#readPage(signal, this.#cursor);
        this.failure = undefined;
        if (this.bookings.share === 1) break;
      }
      this.#wait(Math.max(INTERVAL, this.notBefore - elapsed()), signal);
    } catch (error) {
      if (signal.aborted) return;
      this.#fail(error, signal);
    }
    this.changed();
  }

  /** Reads the newest bookings. If all of them are new, there may be more, so the window is read again. */
  async #poll(signal: AbortSignal): Promise<void> {
    const at = moment();
    const known = this.#newest;
    if (++this.#polls >= ROUND_POLLS && this.#cursor === null) this.#requestRound();
    const { bookings, next_cursor: next } = await this.#list({ limit: known ? POLL_SIZE : PAGE_SIZE }, signal);
    const ids = bookings.map(({ booking_id: id }) => id);
    this.#newest = new Set(ids);
    this.#nextPollAt = at.elapsed + INTERVAL;
    this.bookings.polledAt = at;
    if (known === undefined || next === null || ids.some((id) => known.has(id))) return;
    this.bookings.doubt();
    this.#requestRound();
  }

  async #readPage(signal: AbortSignal, cursor: string | undefined): Promise<void> {
    const { bookings } = this;
    if (cursor === undefined) bookings.beginRound();
    const from = new Date(bookings.window.start).toISOString();
    const to = new Date(bookings.window.end).toISOString();
    const page = await this.#list({ limit: PAGE_SIZE, from, to, cursor }, signal);
    this.#cursor = page.next_cursor;
    if (this.#cursor === null) return bookings.endRound();
    bookings.readTo(Date.parse(page.bookings.at(-1)!.slot!.start));
  }

  async #list(query: ListQuery, signal: AbortSignal): Promise<BookingPageDto> {
    const { data, headers } = await this.client.list(query, { signal }).withResponse();
    signal.throwIfAborted();
    this.notBefore = elapsed() + pauseAfter(headers);
    this.bookings.add(data.bookings);
    return data;
  }

  /** Notes a failure, and schedules a retry: after a minute where that may need another token. */
  #fail(error: unknown, signal: AbortSignal): void {
    // The service has rejected the cursor, so the round starts over.
    if (error instanceof InvalidRequestError) this.#requestRound();
    this.#nextPollAt = 0;
    this.failure = { since: this.failure?.since ?? moment(), error };
    const retryAfter = error instanceof ProblemError ? Math.min(MAX_PAUSE, (error.retryAfter ?? 0) * 1_000) : 0;
    this.notBefore = elapsed() + retryAfter;
    const failing = this.isDenied ? MAX_BACKOFF : elapsed() - this.failure.since.elapsed;
    const backoff = Math.min(MAX_BACKOFF, Math.max(MIN_BACKOFF, failing));
    this.#wait(Math.max(retryAfter, backoff) * (1 + Math.random() / 4), signal);
  }

  #wait(pause: number, signal: AbortSignal): void {
    this.nextTurnAt = elapsed() + pause;
    if (!document.hidden && !signal.aborted) this.#timer = setTimeout(() => void this.#takeTurns(signal), pause);
  }
}

/** Whether an error is a 401 or 403. */
export function isDenial(error: unknown): boolean {
  return error instanceof UnauthenticatedError || error instanceof ForbiddenError;
}

/** Milliseconds to pause after a response, so that a quarter of the rate limit is left to other clients. */
function pauseAfter(headers: Headers): number {
  // draft-ietf-httpapi-ratelimit-headers
  const [, limit] = /;q=(\d+)/.exec(headers.get('ratelimit-policy') ?? '') ?? [];
  const [, left, reset] = /;r=(\d+);t=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
  const isLow = limit !== undefined && left !== undefined && Number(left) <= Number(limit) / 4;
  return isLow ? Math.min(MAX_PAUSE, Number(reset) * 1_000) : 0;
}
