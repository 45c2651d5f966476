import {
  type BookingDto,
  ConnectionError,
  type ListQuery,
  RateLimitedError,
  UnauthenticatedError,
} from '@booking-service/client';

type Held = BookingDto & { slot: NonNullable<BookingDto['slot']> };

/** The list of a service in memory, on the test's clock. Each response takes 20 ms. */
export class FakeService {
  bookings: readonly Held[] = [];
  requests = 0;
  fails: (query: ListQuery) => boolean = () => false;
  denies = false;
  retryAfter: number | undefined;
  headers: Record<string, string> = {};
  private created = 0;

  readonly client = {
    list: (query: ListQuery, { signal }: { signal: AbortSignal }) => ({
      withResponse: () => this.respond(query, signal),
    }),
  } as never;

  create(resource: string, start: number, end: number, createdAt: number): Held {
    const text = (instant: number) => new Date(instant).toISOString();
    const slot = { resource_id: resource, start: text(start), end: text(end) };
    const id = `id-${String(this.created++).padStart(8, '0')}`;
    const booking = { booking_id: id, created_at: text(createdAt), slot };
    this.bookings = [...this.bookings, booking];
    return booking;
  }

  private async respond(query: ListQuery, signal: AbortSignal) {
    this.requests += 1;
    await new Promise((resolve) => setTimeout(resolve, 20));
    signal.throwIfAborted();
    if (this.fails(query)) throw new ConnectionError('cut');
    const { retryAfter } = this;
    const denied = { problem: { detail: '' } as never, status: 401, requestId: undefined, retryAfter: undefined };
    if (this.denies) throw new UnauthenticatedError(denied);
    const limited = { problem: { detail: '' } as never, status: 429, requestId: undefined, retryAfter };
    if (retryAfter !== undefined) throw new RateLimitedError(limited);
    return { data: this.page(query), headers: new Headers(this.headers) };
  }

  /** A page of a window, sorted by start; without a window, the newest first. */
  private page({ limit = 20, from, to, cursor = '' }: ListQuery) {
    const keyOf = ({ slot, created_at: created, booking_id: id }: Held) => `${to ? slot.start : created} ${id}`;
    const isNext = (key: string) => cursor === '' || (to ? key > cursor : key < cursor);
    const within = this.bookings.filter(({ slot }) => !to || !from || (slot.start < to && slot.end > from));
    const rest = within.filter((booking) => isNext(keyOf(booking)));
    const sorted = rest.toSorted((a, b) => (keyOf(a) < keyOf(b) === Boolean(to) ? -1 : 1));
    const bookings = sorted.slice(0, limit);
    return { bookings, next_cursor: sorted.length > limit ? keyOf(bookings.at(-1)!) : null };
  }
}
