import { type Call, callOf, clientResponse, type ClientResponse } from './client-response.js';
import { Connection, type ServiceRequest } from './connection.js';
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
  type ListOptions,
  optionNames,
} from './options.js';
import type { ReceivedResponse } from './received-response.js';
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
 * `Details` are the creator's own members of a booking. They are not checked: other creators may send different ones.
 *
 * Every method rejects with a `BookingsError`, with a `TypeError` or `RangeError` for arguments that the client itself
 * rejects, with the reason of `options.signal`, or with what a function in the options throws. The `withResponse()` of
 * a promise adds the status, the headers and the id of the request.
 */
export class BookingsClient<Details extends object = Record<string, unknown>> {
  readonly #connection: Connection;
  /** The headers of each booking and page, and what it is: a booking's id or a list's path. */
  readonly #received = new WeakMap<object, { name: string; headers: Headers }>();

  /** @throws TypeError for an invalid or unknown option */
  constructor(options: ClientOptions) {
    this.#connection = new Connection(options);
  }

  /**
   * One page of the list, sorted by start with `query.from` or `query.to`, otherwise by `query.sort` (default: newest
   * first). `next_cursor` is the `query.cursor` of the next page; null on the last page. With `options.known`, the
   * request is conditional: an unchanged page is not sent again.
   *
   * @throws InvalidRequestError for an invalid parameter, or a cursor from a list with another filter or order
   */
  list(query: ListQuery = {}, options: ListOptions<Details> = {}): Call<BookingPage<Details>> {
    return callOf(this.#list(query, options));
  }

  async #list(query: ListQuery, options: ListOptions<Details>): Promise<ClientResponse<BookingPage<Details>>> {
    expectKnown(options, optionNames.list);
    const { method, status } = routes.listBookings;
    const path = listPath(query);
    const request = { method, path, name: path };
    return this.#read(request, options, (response) => readPage<Details>(response, status));
  }

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
    yield* gapsBetween(bookings, [from, to, atLeast]);
  }

  /**
   * Makes one booking, even with several attempts: they share an idempotency key, so a retry returns the booking that
   * an earlier attempt made. `payload.slot` is optional; all other members are the caller's own.
   *
   * @throws TypeError for a payload that is not a JSON object
   * @throws SlotTakenError, InvalidBookingError, IdempotencyKeyReusedError: nothing was booked
   * @throws UnavailableError and other 5xx, ConnectionError, TimeoutError, UnexpectedResponseError: the outcome is
   *   unknown; to learn it, repeat the create with this payload and the `idempotencyKey` of the error
   */
  create(payload: NewBooking<Details>, options: CreateOptions = {}): Call<Booking<Details>> {
    return callOf(this.#create(payload, options));
  }

  async #create(payload: NewBooking<Details>, options: CreateOptions): Promise<ClientResponse<Booking<Details>>> {
    expectKnown(options, optionNames.create);
    const { method, path, status } = routes.createBooking;
    const body = createBody(payload);
    const { idempotencyKey = newIdempotencyKey() } = options;
    // `Headers` would turn null into the key 'null', which all such creates would share.
    if (typeof idempotencyKey !== 'string') throw new TypeError('idempotencyKey must be a string');
    const headers = { 'idempotency-key': idempotencyKey };
    try {
      const response = await this.#connection.send({ method, path, headers, body }, options);
      const booking = readBooking<Details>(response, status);
      this.#received.set(booking, { name: booking.booking_id, headers: response.headers });
      return clientResponse(response, booking);
    } catch (error) {
      if (error instanceof BookingsError) error.idempotencyKey = idempotencyKey;
      throw error;
    }
  }

  /**
   * One booking by its id. With `options.known`, the request is conditional: an unchanged booking is not sent again.
   *
   * @throws BookingNotFoundError if there is no booking with this id
   * @throws TypeError for an id that is empty, `.` or `..`, or has a lone surrogate
   */
  get(bookingId: string, options: GetOptions<Details> = {}): Call<Booking<Details>> {
    return callOf(this.#get(bookingId, options));
  }

  async #get(bookingId: string, options: GetOptions<Details>): Promise<ClientResponse<Booking<Details>>> {
    expectKnown(options, optionNames.get);
    const { method, status } = routes.getBooking;
    const request = { method, path: bookingPath(bookingId), name: bookingId };
    return this.#read(request, options, (response) => readBooking<Details>(response, status));
  }

  /** Reads `request.name`, a booking's id or a list's path: `options.known` itself if it is unchanged. */
  async #read<Data extends object>(
    { name, ...request }: ServiceRequest & { name: string },
    { known, ...options }: CallOptions & { known?: Data | undefined },
    dataOf: (response: ReceivedResponse) => Data,
  ): Promise<ClientResponse<Data>> {
    const received = known && this.#received.get(known);
    // An ETag is only valid for its URL.
    const etag = received?.name === name ? received.headers.get('etag') : null;
    const headers: Record<string, string> = etag === null ? {} : { 'if-none-match': etag };
    const response = await this.#connection.send({ ...request, headers }, options);
    if (response.status === 304 && known !== undefined && etag !== null) return clientResponse(response, known);
    const data = dataOf(response);
    this.#received.set(data, { name, headers: response.headers });
    return clientResponse(response, data);
  }
}
