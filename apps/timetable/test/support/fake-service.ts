import {
  type BookingDto,
  type BookingPageDto,
  ConnectionError,
  type ListQuery,
  RateLimitedError,
} from '@booking-service/client';

interface Known extends BookingDto {
  slot: NonNullable<BookingDto['slot']>;
}

/** The list of a service in memory, on the clock of the test, each response after 20 ms. */
export class FakeService {
  /** Replaced, never changed. */
  bookings: readonly Known[] = [];
  readonly requests: { query: ListQuery; isFailed: boolean }[] = [];
  /** Whether a request fails. */
  fails: () => boolean = () => false;
  /** Seconds of `Retry-After`, with which every request is rejected. */
  retryAfter: number | undefined;
  /** Requests that all callers may send in a minute. */
  limit: number | undefined;
  rejected = 0;
  private window = { end: 0, used: 0 };
  private made = 0;

  readonly client = {
    list: (query: ListQuery, { signal }: { signal: AbortSignal }) => ({
      withResponse: () => this.respond(query, signal),
    }),
  } as never;

  create(resource: string, start: number, end: number, createdAt = Date.now()): Known {
    const [from, to, at] = [start, end, createdAt].map((instant) => new Date(instant).toISOString());
    const slot = { resource_id: resource, start: from!, end: to! };
    const booking = { booking_id: `id-${String(this.made++).padStart(8, '0')}`, created_at: at!, slot };
    this.bookings = this.bookings.concat(booking);
    return booking;
  }

  delete(index: number, count: number): void {
    this.bookings = this.bookings.filter((_, at) => at < index || at >= index + count);
  }

  /** Counts a request of any caller. @returns the header `RateLimit`; undefined if it is rejected */
  count(): string | undefined {
    const limit = this.limit ?? Infinity;
    const now = Date.now();
    if (this.window.end <= now) this.window = { end: now + 60_000, used: 0 };
    this.window.used += 1;
    if (this.window.used > limit) this.rejected += 1;
    const left = limit - this.window.used;
    return left < 0 ? undefined : `"caller";r=${left};t=${Math.ceil((this.window.end - now) / 1_000)}`;
  }

  private async respond(query: ListQuery, signal: AbortSignal) {
    const request = { query, isFailed: true };
    this.requests.push(request);
    await new Promise((resolve) => setTimeout(resolve, 20));
    signal.throwIfAborted();
    if (this.fails()) throw new ConnectionError('cut');
    request.isFailed = false;
    const rate = this.count();
    if (rate === undefined || this.retryAfter !== undefined) throw this.rateLimited();
    const isLimited = this.limit !== undefined;
    const headers = isLimited ? { RateLimit: rate, 'RateLimit-Policy': `"caller";q=${this.limit};w=60` } : {};
    return { data: this.page(query), headers: new Headers(headers) };
  }

  private rateLimited(): RateLimitedError {
    const problem = {
      type: 'urn:problem-type:bookings:rate-limited' as const,
      title: '',
      status: 429,
      detail: '',
      instance: '',
    };
    const retryAfter = this.retryAfter ?? Math.ceil((this.window.end - Date.now()) / 1_000);
    return new RateLimitedError({ problem, status: 429, requestId: undefined, retryAfter });
  }

  /** A window by start; without one, the newest first. */
  page({ limit = 20, from, to, cursor = '' }: ListQuery): BookingPageDto {
    const keyOf = ({ slot, created_at: created, booking_id: id }: Known) => `${to ? slot.start : created} ${id}`;
    const within = this.bookings.filter(({ slot }) => !to || !from || (slot.start < to && slot.end > from));
    const sorted = within.toSorted((a, b) => (keyOf(a) < keyOf(b) === Boolean(to) ? -1 : 1));
    const first = sorted.findIndex(
      (booking) => cursor === '' || (to ? keyOf(booking) > cursor : keyOf(booking) < cursor),
    );
    const rest = first < 0 ? [] : sorted.slice(first);
    const bookings = rest.slice(0, limit);
    return { bookings, next_cursor: rest.length > limit ? keyOf(bookings.at(-1)!) : null };
  }
}
