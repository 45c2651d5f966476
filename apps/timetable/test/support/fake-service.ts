import {
  type BookingDto,
  type BookingPageDto,
  ConnectionError,
  type ListQuery,
  RateLimitedError,
} from '@booking-service/client';

interface Held extends BookingDto {
  slot: NonNullable<BookingDto['slot']>;
}

/** The list of a service in memory, on the clock of the test, each response after 20 ms. */
export class FakeService {
  bookings: readonly Held[] = [];
  requests = 0;
  /** Cursors of the pages of windows that were sent. */
  readonly cursors: (string | undefined)[] = [];
  /** Whether a request fails. */
  fails: () => boolean = () => false;
  /** Seconds of `Retry-After`, with which every request is rejected. */
  retryAfter: number | undefined;
  /** Requests that all callers may send in a minute. */
  limit = Infinity;
  rejected = 0;
  private minute = { end: 0, used: 0 };
  private created = 0;

  readonly client = {
    list: (query: ListQuery, { signal }: { signal: AbortSignal }) => ({
      withResponse: () => this.respond(query, signal),
    }),
  } as never;

  create(resource: string, start: number, end: number, createdAt: number): Held {
    const [from, to, at] = [start, end, createdAt].map((instant) => new Date(instant).toISOString());
    const slot = { resource_id: resource, start: from!, end: to! };
    const booking = { booking_id: `id-${String(this.created++).padStart(8, '0')}`, created_at: at!, slot };
    this.bookings = [...this.bookings, booking];
    return booking;
  }

  delete(first: number, count: number): void {
    this.bookings = this.bookings.toSpliced(first, count);
  }

  /** Counts a request of any caller. @returns how many are left in this minute; negative if it is rejected */
  count(): number {
    if (this.minute.end <= Date.now()) this.minute = { end: Date.now() + 60_000, used: 0 };
    this.minute.used += 1;
    if (this.minute.used > this.limit) this.rejected += 1;
    return this.limit - this.minute.used;
  }

  private async respond(query: ListQuery, signal: AbortSignal) {
    this.requests += 1;
    await new Promise((resolve) => setTimeout(resolve, 20));
    signal.throwIfAborted();
    if (this.fails()) throw new ConnectionError('cut');
    const left = this.count();
    const reset = Math.ceil((this.minute.end - Date.now()) / 1_000);
    const retryAfter = this.retryAfter ?? (left < 0 ? reset : undefined);
    if (retryAfter !== undefined) {
      const response = { problem: { detail: '' } as never, status: 429, requestId: undefined, retryAfter };
      throw new RateLimitedError(response);
    }
    if (query.from !== undefined) this.cursors.push(query.cursor);
    const policy = { RateLimit: `"caller";r=${left};t=${reset}`, 'RateLimit-Policy': `"caller";q=${this.limit};w=60` };
    return { data: this.page(query), headers: new Headers(this.limit < Infinity ? policy : {}) };
  }

  /** A window by start; without one, the newest first. */
  private page({ limit = 20, from, to, cursor = '' }: ListQuery): BookingPageDto {
    const keyOf = ({ slot, created_at: created, booking_id: id }: Held) => `${to ? slot.start : created} ${id}`;
    const isNext = (key: string) => cursor === '' || (to ? key > cursor : key < cursor);
    const within = this.bookings.filter(({ slot }) => !to || !from || (slot.start < to && slot.end > from));
    const rest = within.filter((booking) => isNext(keyOf(booking)));
    const sorted = rest.toSorted((a, b) => (keyOf(a) < keyOf(b) === Boolean(to) ? -1 : 1));
    const bookings = sorted.slice(0, limit);
    return { bookings, next_cursor: sorted.length > limit ? keyOf(bookings.at(-1)!) : null };
  }
}
