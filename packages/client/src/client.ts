import { type Call, callOf, clientResponse, type ClientResponse } from './client-response.js';
import { Connection } from './connection.js';
import { abortReason } from './deadline.js';
import { BookingsError, UnexpectedResponseError } from './errors.js';
import { type FreeSlot, type FreeSlotsOptions, gapsBetween } from './free-slots.js';
import { newIdempotencyKey } from './idempotency-key.js';
import {
  type CallOptions,
  type ClientOptions,
  type CreateOptions,
  expectKnown,
  type GetOptions,
  optionNames,
} from './options.js';
import {
  bookingPath,
  createBody,
  type Instant,
  listPath,
  type ListQuery,
  type NewBooking,
  routes,
} from './requests.js';
import { type Booking, type BookingPage, readBooking, readPage } from './responses.js';

/**
 * A client of the Booking Service Interface (Preview), for Node and browsers.
 *
 * `Details` are the members of a booking that are the creator's own. The client does not check them: the
 * service accepts any, so bookings that others made may have others.
 *
 * Every method rejects with a `BookingsError` (see `errors.ts` for the tree), with a `TypeError` for
 * arguments that cannot be sent, or with the reason of `options.signal`. `list`, `create` and `get` return a
 * promise whose `withResponse()` also gives the status, the headers and the id of the request.
 */
export class BookingsClient<Details extends object = Record<string, unknown>> {
  readonly #connection: Connection;
  /** The ETags of the bookings this client returned, for as long as the caller keeps the bookings. */
  readonly #etags = new WeakMap<object, string>();

  /** @throws TypeError when an option is not as {@link ClientOptions} says */
  constructor(options: ClientOptions) {
    this.#connection = new Connection(options);
  }

  /**
   * One page of the list: by start with `query.from` or `query.to`, otherwise the newest first. `next_cursor` is the
   * `query.cursor` of the page after it, null when there is none.
   *
   * @throws InvalidRequestError when the service rejects a parameter, or a cursor that it did not give
   *   for this filter and order
   */
  list(query: ListQuery = {}, options: CallOptions = {}): Call<BookingPage<Details>> {
    return callOf(this.#list(query, options));
  }

  async #list(query: ListQuery, options: CallOptions): Promise<ClientResponse<BookingPage<Details>>> {
    expectKnown(options, optionNames.call);
    const { method, status } = routes.listBookings;
    const response = await this.#connection.send({ method, path: listPath(query) }, options);
    return clientResponse(response, readPage<Details>(response, status));
  }

  /**
   * Every page of the list, the last one included, each requested when the iteration reaches it. `query.limit` is the
   * size of a page (1 to 100); `options.timeout` and `options.maxRetries` apply to each page. `query.cursor` resumes
   * a walk. Do not poll for later bookings with the last cursor of a walk that ended: bookings that were committed
   * late would be missed.
   *
   * @throws UnexpectedResponseError when the service repeats a cursor; otherwise as {@link list}
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
        throw new UnexpectedResponseError('The service gave one cursor twice', routes.listBookings.status, undefined);
      }
    }
  }

  /**
   * Every booking of every page, each page requested when the iteration reaches it. Each booking that was made before
   * the iteration began comes exactly once, whatever is booked meanwhile. The arguments are those of
   * {@link listPages}: `query.limit` does not limit the total.
   *
   * @throws UnexpectedResponseError when the service repeats a cursor; otherwise as {@link list}
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
   * When a resource is free in a window, the earliest time first; nothing where all of it is booked. Costs the pages of
   * the bookings in the window. A look and no hold: only a create decides.
   *
   * @throws RangeError unless `from` is before `to`, and `atLeast` is a number from 0; otherwise as {@link listAll}
   */
  async *freeSlots(
    resourceId: string,
    { from, to }: { from: Instant; to: Instant },
    { atLeast = 0, ...options }: FreeSlotsOptions = {},
  ): AsyncGenerator<FreeSlot, void, undefined> {
    const bookings = this.listAll({ resource_id: resourceId, from, to, limit: 100 }, options);
    yield* gapsBetween(bookings, [from, to, atLeast]);
  }

  /**
   * Makes a booking, once: all attempts of a call carry one idempotency key, so that a retry finds what an
   * earlier attempt made. `payload.slot` is optional, every other member is the caller's own.
   *
   * @throws TypeError for a payload that is not a JSON object; nothing was sent
   * @throws SlotTakenError, InvalidBookingError, IdempotencyKeyReusedError: nothing was booked
   * @throws UnavailableError and other 5xx, ConnectionError, TimeoutError, UnexpectedResponseError: the outcome is
   *   open, and a create with the same payload and the error's `idempotencyKey` settles it
   */
  create(payload: NewBooking<Details>, options: CreateOptions = {}): Call<Booking<Details>> {
    return callOf(this.#create(payload, options));
  }

  async #create(payload: NewBooking<Details>, options: CreateOptions): Promise<ClientResponse<Booking<Details>>> {
    expectKnown(options, optionNames.create);
    const { method, path, status } = routes.createBooking;
    const body = createBody(payload);
    const { idempotencyKey = newIdempotencyKey() } = options;
    // A header would carry `null` as a text, and every create without a key would be one.
    if (typeof idempotencyKey !== 'string') throw new TypeError('idempotencyKey is no string');
    const headers = { 'idempotency-key': idempotencyKey };
    try {
      const response = await this.#connection.send({ method, path, headers, body }, options);
      const booking = readBooking<Details>(response, status);
      return clientResponse(response, this.#remember(booking, response.headers));
    } catch (error) {
      if (error instanceof BookingsError) error.idempotencyKey = idempotencyKey;
      throw error;
    }
  }

  /**
   * One booking by its id. With `options.known` the request is conditional: an unchanged booking is not sent again.
   *
   * @throws BookingNotFoundError when no booking has this id
   * @throws TypeError for an id that no path can carry: empty, `.`, `..`, or with a lone surrogate
   */
  get(bookingId: string, options: GetOptions<Details> = {}): Call<Booking<Details>> {
    return callOf(this.#get(bookingId, options));
  }

  async #get(bookingId: string, options: GetOptions<Details>): Promise<ClientResponse<Booking<Details>>> {
    expectKnown(options, optionNames.get);
    const { method, status } = routes.getBooking;
    const { known } = options;
    // An ETag says something about its own URL only.
    const etag = known?.booking_id === bookingId ? this.#etags.get(known) : undefined;
    const headers: Record<string, string> = etag === undefined ? {} : { 'if-none-match': etag };
    const response = await this.#connection.send({ method, path: bookingPath(bookingId), headers }, options);
    const booking =
      response.status === 304 && known !== undefined && etag !== undefined
        ? known
        : this.#remember(readBooking<Details>(response, status), response.headers);
    return clientResponse(response, booking);
  }

  #remember(booking: Booking<Details>, headers: Headers): Booking<Details> {
    const etag = headers.get('etag');
    if (etag !== null) this.#etags.set(booking, etag);
    return booking;
  }
}
