import {
  type BookingPageDto,
  type BookingsClient,
  ForbiddenError,
  InvalidRequestError,
  type ListQuery,
  ProblemError,
  UnauthenticatedError,
} from '@booking-service/client';
import { type Bookings, INTERVAL } from './bookings.js';
import type { Range } from './time.js';

/** Polls from one round to the next. Rounds find what polls miss: bookings deleted, or committed late. */
const ROUND_POLLS = 12;
const PAGE_SIZE = 100;
const POLL_SIZE = 20;
/** A retry waits as long as the service has failed, within these bounds in milliseconds. */
const BACKOFF = { least: 2_000, most: 60_000 };
/** The longest pause that a service is granted, in milliseconds. */
const MAX_PAUSE = 5 * 60_000;

/** Reads the window of the page, then polls for new bookings while the page is visible. */
export class Feed {
  /** Since when the service has not responded, or requires another token, and why. */
  failure: { readonly since: number; readonly error: unknown } | undefined;
  again = 0;
  /** No request is sent before this time, so that other clients keep their share of the rate limit. */
  notBefore = 0;
  #polls = 0;
  #pollAt = 0;
  /** Where a round continues: undefined at its start, null after its end. */
  #cursor: string | null | undefined;
  #newest: ReadonlySet<string> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #turn = new AbortController();

  constructor(
    private readonly client: Pick<BookingsClient, 'list'>,
    private readonly bookings: Bookings,
    private readonly changed: () => void,
  ) {
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) this.#stop();
      else this.refresh();
    });
  }

  get isDenied(): boolean {
    return [UnauthenticatedError, ForbiddenError].some((kind) => this.failure?.error instanceof kind);
  }

  show({ start, end }: Range): void {
    this.bookings.show({ start, end });
    this.#beginRound();
    this.#begin();
  }

  /** Polls now, and begins a round if none has begun. @param isForced whatever pause the service asked for */
  refresh(isForced = false): void {
    if (isForced) this.notBefore = 0;
    this.#pollAt = 0;
    if (this.#cursor === null) this.#beginRound();
    this.#begin();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#turn.abort();
  }

  #begin(): void {
    this.#stop();
    this.#turn = new AbortController();
    void this.#run(this.#turn.signal);
  }

  #beginRound(): void {
    this.#polls = 0;
    this.#cursor = undefined;
  }

  /** One turn: a poll, and a page of the round; as many pages as there are while the window is read first. */
  async #run(signal: AbortSignal): Promise<void> {
    this.changed();
    try {
      while (this.notBefore <= Date.now()) {
        if (this.#pollAt <= Date.now()) await this.#poll(signal);
        if (this.#cursor !== null) await this.#readPage(signal, this.#cursor);
        if (this.bookings.share === 1) break;
      }
      this.#after(Math.max(INTERVAL, this.notBefore - Date.now()), signal);
    } catch (error) {
      if (signal.aborted) return;
      this.#fail(error, signal);
    }
    this.changed();
  }

  /** Reads the newest bookings. If none of them was known, some may be missing, and the window is read again. */
  async #poll(signal: AbortSignal): Promise<void> {
    const at = Date.now();
    const known = this.#newest;
    if (++this.#polls >= ROUND_POLLS && this.#cursor === null) this.#beginRound();
    const { bookings, next_cursor: next } = await this.#list({ limit: known ? POLL_SIZE : PAGE_SIZE }, signal);
    const ids = bookings.map(({ booking_id: id }) => id);
    this.#newest = new Set(ids);
    this.#pollAt = at + INTERVAL;
    this.bookings.polledAt = at;
    if (known === undefined || next === null || ids.some((id) => known.has(id))) return;
    this.bookings.readTo = this.bookings.window.start;
    this.#beginRound();
  }

  async #readPage(signal: AbortSignal, cursor: string | undefined): Promise<void> {
    const { bookings } = this;
    if (cursor === undefined) bookings.beginRound();
    const from = new Date(bookings.window.start).toISOString();
    const to = new Date(bookings.window.end).toISOString();
    const page = await this.#list({ limit: PAGE_SIZE, from, to, cursor }, signal);
    this.#cursor = page.next_cursor;
    if (this.#cursor === null) return bookings.endRound();
    // In the order of their starts, no booking that is still to come begins before the last one.
    bookings.readTo = Math.max(bookings.readTo, Date.parse(page.bookings.at(-1)!.slot!.start));
  }

  async #list(query: ListQuery, signal: AbortSignal): Promise<BookingPageDto> {
    const { data, headers } = await this.client.list(query, { signal, maxRetries: 0 }).withResponse();
    signal.throwIfAborted();
    this.notBefore = Date.now() + pauseAfter(headers);
    this.failure = undefined;
    this.bookings.add(data.bookings);
    return data;
  }

  #fail(error: unknown, signal: AbortSignal): void {
    // The walk begins anew where the service rejects its cursor.
    if (error instanceof InvalidRequestError) this.#beginRound();
    this.#pollAt = 0;
    this.failure = { since: this.failure?.since ?? Date.now(), error };
    const retryAfter = error instanceof ProblemError ? Math.min(MAX_PAUSE, (error.retryAfter ?? 0) * 1_000) : 0;
    this.notBefore = Date.now() + retryAfter;
    const backoff = Math.min(BACKOFF.most, Math.max(BACKOFF.least, Date.now() - this.failure.since));
    if (!this.isDenied) this.#after(Math.max(retryAfter, backoff) * (1 + Math.random() / 4), signal);
  }

  #after(pause: number, signal: AbortSignal): void {
    this.again = Date.now() + pause;
    if (!document.hidden && !signal.aborted) this.#timer = setTimeout(() => void this.#run(signal), pause);
  }
}

/** Milliseconds to wait after a response, so that others keep a quarter of the caller's rate limit. */
function pauseAfter(headers: Headers): number {
  // draft-ietf-httpapi-ratelimit-headers
  const [, limit] = /;q=(\d+)/.exec(headers.get('ratelimit-policy') ?? '') ?? [];
  const [, left, reset] = /;r=(\d+);t=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
  const isLow = limit !== undefined && left !== undefined && Number(left) <= Number(limit) / 4;
  return isLow ? Math.min(MAX_PAUSE, Number(reset) * 1_000) : 0;
}
