import { type Call, callOf, clientResponse, type ClientResponse } from './client-response.js';
import { Connection, type ServiceRequest } from './connection.js';
import { BookingsError } from './errors.js';
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
import { bookingPath, createBody, listPath, type ListQuery, type NewBooking, routes } from './requests.js';
import { type Booking, type BookingPage, readBooking, readPage } from './responses.js';

/**
 * The operations of the interface: what a `BookingsClient` does with one request. A page that needs no more than these
 * bundles no more.
 */
export class BookingOperations<Details extends object = Record<string, unknown>> {
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
   * Makes one booking, even with several attempts: they share an idempotency key, so a retry returns the booking that
   * an earlier attempt made. `payload.slot` is optional; all other members are the caller's own.
   *
   * @throws TypeError for a payload that is not a JSON object
   * @throws SlotTakenError, InvalidBookingError, IdempotencyKeyReusedError: nothing was booked
   * @throws UnavailableError and other 5xx, ConnectionError, TimeoutError, UnexpectedResponseError: the outcome is
   *   unknown, as it is once a retry was rejected with a 401, 403 or 429; to learn it, repeat the create with this
   *   payload and the `idempotencyKey` of the error
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

/** A key of 128 random bits, made without `crypto.randomUUID`, which exists only in secure contexts. */
function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
