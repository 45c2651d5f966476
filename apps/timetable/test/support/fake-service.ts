import {
  type BookingDto,
  type BookingPageDto,
  type BookingsClient,
  ConnectionError,
  type ListQuery,
  RateLimitedError,
} from '@booking-service/client';

interface Known extends BookingDto {
  slot: { resource_id: string; start: string; end: string };
}

interface Keyed {
  booking: Known;
  key: string;
}

/** The list of a service in memory, on the clock of the test, each response after 20 ms. */
export class FakeService {
  /** Replaced, never changed. */
  bookings: readonly Known[] = [];
  readonly requests: { at: number; query: ListQuery; isFailed?: boolean }[] = [];
  /** Whether a request fails. */
  fails: () => boolean = () => false;
  /** Seconds of `Retry-After`, with which every request is rejected. */
  retryAfter: number | undefined;
  /** Requests that all callers with one token or address may send in a minute. */
  limit: number | undefined;
  rejected = 0;
  private window = { end: 0, used: 0 };
  private made = 0;
  private readonly orders = new Map<1 | -1, { of: readonly Known[]; order: Keyed[] }>();

  readonly client = {
    list: (query: ListQuery, { signal }: { signal: AbortSignal }) => ({
      withResponse: () => this.respond(query, signal),
    }),
  } as unknown as BookingsClient;

  create(resource: string, start: number, end: number, createdAt = Date.now()): Known {
    const text = (instant: number) => new Date(instant).toISOString();
    const slot = { resource_id: resource, start: text(start), end: text(end) };
    const booking = { booking_id: `id-${String(this.made++).padStart(8, '0')}`, created_at: text(createdAt), slot };
    this.bookings = this.bookings.concat(booking);
    return booking;
  }

  delete(index: number, count: number): void {
    this.bookings = this.bookings.filter((_, at) => at < index || at >= index + count);
  }

  /** Counts a request of any caller. @returns the header `RateLimit`, undefined if it is rejected */
  count(): string | undefined {
    if (this.limit === undefined) return '';
    const now = Date.now();
    if (this.window.end <= now) this.window = { end: now + 60_000, used: 0 };
    this.window.used += 1;
    const left = Math.max(0, this.limit - this.window.used);
    const isRejected = this.window.used > this.limit;
    if (isRejected) this.rejected += 1;
    return isRejected ? undefined : `"caller";r=${left};t=${Math.ceil((this.window.end - now) / 1_000)}`;
  }

  private async respond(query: ListQuery, signal: AbortSignal) {
    const request = { at: Date.now(), query, isFailed: true };
    this.requests.push(request);
    await new Promise((resolve) => setTimeout(resolve, 20));
    signal.throwIfAborted();
    if (this.fails()) throw new ConnectionError('cut');
    request.isFailed = false;
    const rate = this.count();
    if (rate === undefined) throw this.rateLimited(Math.ceil((this.window.end - Date.now()) / 1_000));
    if (this.retryAfter !== undefined) throw this.rateLimited(this.retryAfter);
    const headers = new Headers();
    if (rate !== '') {
      headers.set('RateLimit', rate);
      headers.set('RateLimit-Policy', `"caller";q=${this.limit};w=60`);
    }
    return { data: this.page(query), headers };
  }

  private rateLimited(retryAfter: number): RateLimitedError {
    const type = 'urn:problem-type:bookings:rate-limited' as const;
    const problem = { type, title: '', status: 429, detail: '', instance: '' };
    return new RateLimitedError({ problem, status: 429, requestId: undefined, retryAfter });
  }

  private page({ limit = 20, from, to, cursor }: ListQuery): BookingPageDto {
    const isByStart = from !== undefined || to !== undefined;
    const keyOf = ({ slot, created_at: created, booking_id: id }: Known) => `${isByStart ? slot.start : created} ${id}`;
    const sign = isByStart ? 1 : -1;
    const bookings: Known[] = [];
    for (const { booking, key } of this.sorted(keyOf, sign)) {
      const { start, end } = booking.slot;
      const isAfter = cursor === undefined || (sign > 0 ? key > cursor : key < cursor);
      if (!isAfter || (to !== undefined && start >= to) || (from !== undefined && end <= from)) continue;
      if (bookings.length === limit) return { bookings, next_cursor: keyOf(bookings.at(-1)!) };
      bookings.push(booking);
    }
    return { bookings, next_cursor: null };
  }

  /** Kept until there is another booking, or one less. */
  private sorted(keyOf: (booking: Known) => string, sign: 1 | -1): Keyed[] {
    const last = this.orders.get(sign);
    if (last?.of === this.bookings) return last.order;
    const order = this.bookings
      .map((booking) => ({ booking, key: keyOf(booking) }))
      .toSorted((a, b) => (a.key < b.key ? -sign : sign));
    this.orders.set(sign, { of: this.bookings, order });
    return order;
  }
}
