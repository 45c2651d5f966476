import type { BookingDto, BookingPageDto, CreateBookingDto, ListBookingsQueryDto } from '@booking-service/contracts';
import { readBooking, readPage } from './responses.js';
import { Connection } from './connection.js';
import { BookingsError, UnexpectedResponseError } from './errors.js';
import { newIdempotencyKey } from './idempotency-key.js';
import type { CallOptions, ClientOptions, CreateOptions, GetOptions } from './options.js';
import { bookingPath, routes } from './routes.js';

/**
 * A client of the Booking Service Interface (Preview), for Node and browsers.
 *
 * `Details` are the members of a booking that are the creator's own. The client does not check them: the
 * service takes any, so bookings that others made may have others.
 *
 * Every method rejects with a `BookingsError` (see `errors.ts` for the tree), with a `TypeError` for
 * arguments that cannot be sent, or with the reason of `options.signal`.
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
   * One page of the list; the newest first unless `query.sort` says otherwise. `next_cursor` is the
   * `query.cursor` of the page after it, null when there is none.
   *
   * @throws InvalidRequestError when the service refuses a parameter, or a cursor that it did not give
   *   for this filter and order
   */
  async list(query: ListBookingsQueryDto = {}, options: CallOptions = {}): Promise<BookingPageDto<Details>> {
    const { method, path, status } = routes.listBookings;
    const parameters = Object.entries(query).filter(([, value]) => value !== undefined);
    const search = new URLSearchParams(parameters.map(([name, value]) => [name, String(value)])).toString();
    const response = await this.#connection.send({ method, path: search === '' ? path : `${path}?${search}` }, options);
    return readPage(response, status);
  }

  /**
   * Every booking of every page, page after page as they are asked for. Each booking that was made before
   * the iteration began comes exactly once, whatever is booked meanwhile. `query.limit` is the size of a
   * page (1 to 100), not a bound on the whole; `options.timeout` and `options.maxRetries` hold for each page.
   *
   * @throws UnexpectedResponseError when the service leads in a circle; otherwise as {@link list}
   */
  async *listAll(
    query: Omit<ListBookingsQueryDto, 'cursor'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<BookingDto<Details>, void, undefined> {
    const seen = new Set<string>();
    let cursor: string | undefined;
    for (;;) {
      const page = await this.list({ ...query, cursor }, options);
      for (const booking of page.bookings) {
        options.signal?.throwIfAborted();
        yield booking;
      }
      if (page.next_cursor === null) return;
      cursor = page.next_cursor;
      if (seen.has(cursor)) {
        throw new UnexpectedResponseError('The service gave one cursor twice', routes.listBookings.status, undefined);
      }
      seen.add(cursor);
    }
  }

  /**
   * Makes a booking, once: all attempts of a call carry one idempotency key, so that a retry finds what an
   * earlier attempt made. `payload.slot` is optional, every other member is the caller's own.
   *
   * @throws TypeError for a payload that is no object in JSON; nothing was sent
   * @throws SlotTakenError, InvalidBookingError, IdempotencyKeyReusedError: nothing was booked
   * @throws UnavailableError and other 5xx, ConnectionError, TimeoutError, UnexpectedResponseError: the outcome is
   *   open, and a create with the same payload and the error's `idempotencyKey` settles it
   */
  async create(payload: CreateBookingDto<Details>, options: CreateOptions = {}): Promise<BookingDto<Details>> {
    const { method, path, status } = routes.createBooking;
    const body = JSON.stringify(payload) as string | undefined;
    if (body?.startsWith('{') !== true) throw new TypeError('The payload is not a JSON object: pass one, {} at least');
    const { idempotencyKey = newIdempotencyKey() } = options;
    const headers = { 'idempotency-key': idempotencyKey };
    try {
      const response = await this.#connection.send({ method, path, headers, body }, options);
      return this.#remember(readBooking<Details>(response, status), response.headers);
    } catch (error) {
      if (error instanceof BookingsError) error.idempotencyKey = idempotencyKey;
      throw error;
    }
  }

  /**
   * One booking by its id. With `options.known` the service is asked only for what has changed since.
   *
   * @throws BookingNotFoundError when no booking has this id
   * @throws TypeError for an id that no path can carry: empty, `.`, `..`, or with a lone surrogate
   */
  async get(bookingId: string, options: GetOptions<Details> = {}): Promise<BookingDto<Details>> {
    const { method, status } = routes.getBooking;
    const { known } = options;
    // An ETag says something about its own URL only.
    const etag = known?.booking_id === bookingId ? this.#etags.get(known) : undefined;
    const headers: Record<string, string> = etag === undefined ? {} : { 'if-none-match': etag };
    const response = await this.#connection.send({ method, path: bookingPath(bookingId), headers }, options);
    if (response.status === 304 && known !== undefined && etag !== undefined) return known;
    return this.#remember(readBooking<Details>(response, status), response.headers);
  }

  #remember(booking: BookingDto<Details>, headers: Headers): BookingDto<Details> {
    const etag = headers.get('etag');
    if (etag !== null) this.#etags.set(booking, etag);
    return booking;
  }
}
