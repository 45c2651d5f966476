import type { Connection } from './connection.js';
import type { Delivered } from './events-receiver.js';
import type { ReceivedResponse, OutgoingRequest } from './exchange.js';
import { Skipped } from './failure.js';
import { aResource, aSlot } from './inventions.js';
import { type Booking, idsOf, readBooking, readPage } from './reading.js';

export const COLLECTION = '/v1/bookings';
export const JSON_HEADERS = { 'content-type': 'application/json' };

export type Headers = NonNullable<OutgoingRequest['headers']>;
export type Query = Readonly<Record<string, string | number>>;

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The service as the checks of a run see it. In a read-only run, the first write of a check skips the check. */
export class Service {
  #ids: Promise<string[]> | undefined;
  #delivered: Promise<Delivered> | undefined;

  /** @param collect makes bookings and waits for their events; undefined where no events are received */
  constructor(
    private readonly connection: Connection,
    private readonly readOnly: boolean,
    private readonly collect?: (service: Service) => Promise<Delivered>,
  ) {}

  /** @throws NoResponse */
  async send(request: Partial<OutgoingRequest>, timeout?: number): Promise<ReceivedResponse> {
    return this.connection.send(this.#allowed({ method: 'GET', target: COLLECTION, ...request }), timeout);
  }

  /** Sends a whole request and hangs up: as soon as it is sent, or as soon as its response begins, which is not read. */
  async abandon(request: OutgoingRequest, when: 'sent' | 'received'): Promise<void> {
    await this.connection.abandon(this.#allowed(request), when);
  }

  /**
   * Sends requests on one connection without waiting for their responses. One of them has to close it.
   *
   * @returns all that came back, as HTTP/1.1 writes it
   */
  async pipeline(...requests: readonly OutgoingRequest[]): Promise<string> {
    return this.sendBytes(requests.map((request) => this.bytesOf(request)).join(''));
  }

  /** A request with the headers of the run, as HTTP/1.1 writes it. */
  bytesOf(request: OutgoingRequest): string {
    return this.connection.bytesOf(this.#allowed(request));
  }

  /** Sends bytes that need not be HTTP. @returns all that came back until the service closed the connection */
  sendBytes(bytes: string | Uint8Array, timeout?: number): Promise<string> {
    return this.connection.sendBytes(bytes, timeout);
  }

  get(target: string, headers: Headers = {}): Promise<ReceivedResponse> {
    return this.send({ target, headers });
  }

  /** Lists with these parameters, percent-encoded. */
  list(query: Query, headers: Headers = {}): Promise<ReceivedResponse> {
    return this.get(listOf(query), headers);
  }

  /** Sends a body to the collection, as JSON unless the headers say otherwise. */
  post(body: string | Uint8Array, headers: Headers = {}): Promise<ReceivedResponse> {
    return this.send(post(body, headers));
  }

  /** Creates from a payload, under a key where one is given. */
  create(payload: object, key?: string): Promise<ReceivedResponse> {
    return this.post(JSON.stringify(payload), key === undefined ? {} : { 'idempotency-key': key });
  }

  /** As {@link create}, where it has to succeed. @throws Failure when it does not */
  async book(payload: object, key?: string): Promise<Booking> {
    return readBooking(await this.create(payload, key));
  }

  /** Gets the booking of an id. */
  getOne(bookingId: string, headers: Headers = {}): Promise<ReceivedResponse> {
    return this.get(pathOf(bookingId), headers);
  }

  /**
   * The id of a booking that is there: one that the run makes, or in a read-only run a listed one.
   *
   * @throws Skipped where it is read-only and there is none
   */
  async anId(): Promise<string> {
    return (await this.ids(1))[0]!;
  }

  /** As {@link anId}, for up to three of them. */
  async ids(count: number): Promise<string[]> {
    this.#ids ??= this.readOnly ? this.#listed() : this.#made();
    const ids = await this.#ids;
    if (ids.length >= count) return ids;
    throw new Skipped(`only ${ids.length} of ${count} bookings are there, and none may be made`);
  }

  /** What the endpoint receives of bookings that are made for it, once in a run. @throws TypeError where none are received */
  delivered(): Promise<Delivered> {
    if (this.collect === undefined) throw new TypeError('a check of events, in a run that receives none');
    return (this.#delivered ??= this.collect(this));
  }

  async #listed(): Promise<string[]> {
    return idsOf(readPage(await this.list({ limit: 3 })).bookings);
  }

  async #made(): Promise<string[]> {
    const bookings: Booking[] = [];
    for (const slot of [aSlot(aResource()), aSlot(aResource()), undefined]) bookings.push(await this.book({ slot }));
    return idsOf(bookings);
  }

  /** @throws Skipped for a write in a read-only run */
  #allowed(request: OutgoingRequest): OutgoingRequest {
    if (this.readOnly && !SAFE_METHODS.has(request.method)) throw new Skipped('it writes, and this run is read-only');
    return request;
  }
}

/** A create from a body, as JSON unless the headers say otherwise. */
export function post(body: string | Uint8Array, headers: Headers = {}): OutgoingRequest {
  return { method: 'POST', target: COLLECTION, headers: { ...JSON_HEADERS, ...headers }, body };
}

/** The target of a list with these parameters, percent-encoded. */
export function listOf(query: Query): string {
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return `${COLLECTION}?${new URLSearchParams(pairs).toString()}`;
}

/** The path of a booking. */
export function pathOf(bookingId: string): string {
  return `${COLLECTION}/${encodeURIComponent(bookingId)}`;
}
