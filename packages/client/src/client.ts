import { abortReason } from './deadline.js';
import { UnexpectedResponseError } from './errors.js';
import { type FreeSlot, type FreeSlotsOptions, gapsBetween } from './free-slots.js';
import { BookingOperations } from './operations.js';
import type { CallOptions } from './options.js';
import { type Instant, type ListQuery, routes } from './requests.js';
import type { Booking, BookingPage } from './responses.js';

/**
 * A client of the Booking Service Interface (Preview), for Node and browsers.
 *
 * `Details` are the creator's own members of a booking. They are not checked: other creators may send different ones.
 *
 * Every method rejects with a `BookingsError`, with a `TypeError` or `RangeError` for arguments that the client itself
 * rejects, with the reason of `options.signal`, or with what a function in the options throws. The `withResponse()` of
 * a promise adds the status, the headers and the id of the request.
 */
export class BookingsClient<Details extends object = Record<string, unknown>> extends BookingOperations<Details> {
  /**
   * Every page of the list, each requested when the iteration reaches it. `query.limit` is the maximum size of a page
   * (1 to 100), `options` apply to each page, and `query.cursor` resumes a walk. Do not poll for new bookings with the
   * last cursor of a walk: you would miss bookings that are committed late.
   *
   * @throws UnexpectedResponseError if the service repeats a cursor; otherwise as {@link list}
   */
  async *listPages(
    query: ListQuery = {},
    options: CallOptions = {},
  ): AsyncGenerator<BookingPage<Details>, void, undefined> {
    const seen = new Set<string>();
    for (let { cursor } = query; ;) {
      if (cursor !== undefined) seen.add(cursor);
      const page = await this.list({ ...query, cursor }, options);
      yield page;
      if (page.next_cursor === null) return;
      cursor = page.next_cursor;
      if (seen.has(cursor)) {
        throw new UnexpectedResponseError('The service repeated a cursor', routes.listBookings.status, undefined);
      }
    }
  }

  /**
   * Every booking of {@link listPages}, with the same arguments and errors; `query.limit` is still the maximum size of
   * a page. Matching bookings made before the iteration appear exactly once, whatever is booked meanwhile.
   */
  async *listAll(query: ListQuery = {}, options: CallOptions = {}): AsyncGenerator<Booking<Details>, void, undefined> {
    for await (const page of this.listPages(query, options)) {
      for (const booking of page.bookings) {
        if (options.signal?.aborted) throw abortReason(options.signal);
        yield booking;
      }
    }
  }

  /**
   * The free times of a resource in a window, the earliest first, computed from a list of its bookings. Nothing is
   * reserved: only a create decides.
   *
   * @throws TypeError without `from` or `to`
   * @throws RangeError unless `from` is before `to` and `atLeast` is 0 or more; otherwise as {@link listAll}
   */
  async *freeSlots(
    resourceId: string,
    window: { from: Instant; to: Instant },
    { atLeast = 0, ...options }: FreeSlotsOptions = {},
  ): AsyncGenerator<FreeSlot, void, undefined> {
    const { from, to } = Object(window) as Partial<typeof window>;
    if (!from || !to) {
      throw new TypeError(`freeSlots needs a window: freeSlots(${JSON.stringify(resourceId)}, { from, to })`);
    }
    const bookings = this.listAll({ resource_id: resourceId, from, to, limit: 100 }, options);
    yield* gapsBetween(bookings, { from, to, atLeast });
  }
}
