import type { Connection } from './connection.js';
import type { Delivered } from './events-receiver.js';
import type { OutgoingRequest, ReceivedResponse } from './exchange.js';
import { Skipped } from './failure.js';
import { aKey, aResource, aSlot } from './fixtures.js';
import { type Booking, idsOf, readBooking, readPage } from './reading.js';

export const COLLECTION = '/v1/bookings';
export const JSON_HEADERS = { 'content-type': 'application/json' };

export type Headers = NonNullable<OutgoingRequest['headers']>;
export type Query = Readonly<Record<string, string | number>>;

/** A create that made a booking. */
interface Made {
  readonly payload: object;
  readonly key: string;
  readonly response: ReceivedResponse;
  readonly booking: Booking;
}

/** The operations of the service. Checks send unusual requests through the connection. */
export class Service {
  #first: Promise<Made> | undefined;
  #ids: Promise<string[]> | undefined;
  #delivered: Promise<Delivered> | undefined;

  /** @param collect makes bookings and waits for their events; undefined without an endpoint */
  constructor(
    readonly connection: Connection,
    private readonly readOnly: boolean,
    private readonly collect?: (service: Service) => Promise<Delivered>,
  ) {}

  /** Sends a request, by default a GET of the collection. */
  send(request: Partial<OutgoingRequest>): Promise<ReceivedResponse> {
    return this.connection.send({ method: 'GET', target: COLLECTION, ...request });
  }

  get(target: string, headers: Headers = {}): Promise<ReceivedResponse> {
    return this.send({ target, headers });
  }

  list(query: Query): Promise<ReceivedResponse> {
    return this.get(listOf(query));
  }

  post(body: string | Uint8Array, headers: Headers = {}): Promise<ReceivedResponse> {
    return this.send(post(body, headers));
  }

  create(payload: object, key?: string): Promise<ReceivedResponse> {
    return this.post(JSON.stringify(payload), key === undefined ? {} : { 'idempotency-key': key });
  }

  async book(payload: object, key?: string): Promise<Booking> {
    return readBooking(await this.create(payload, key));
  }

  getOne(bookingId: string, headers: Headers = {}): Promise<ReceivedResponse> {
    return this.get(pathOf(bookingId), headers);
  }

  /** A create from the beginning of the run, which all checks share. */
  first(): Promise<Made> {
    return (this.#first ??= this.#makeFirst());
  }

  async anId(): Promise<string> {
    return (await this.ids(1))[0]!;
  }

  /**
   * The ids of up to three bookings: new bookings or, in a read-only run, existing ones.
   *
   * @throws Skipped if there are fewer than `count`
   */
  async ids(count: number): Promise<string[]> {
    this.#ids ??= this.readOnly ? this.#listed() : this.#made();
    const ids = await this.#ids;
    if (ids.length >= count) return ids;
    throw new Skipped(`this read-only run found ${ids.length} of ${count} bookings`);
  }

  /** The events of a few bookings. The run makes these bookings only once. */
  delivered(): Promise<Delivered> {
    if (this.collect === undefined) throw new TypeError('this run receives no events');
    return (this.#delivered ??= this.collect(this));
  }

  async #listed(): Promise<string[]> {
    return idsOf(readPage(await this.list({ limit: 3 })).bookings);
  }

  async #made(): Promise<string[]> {
    const { booking } = await this.first();
    return idsOf([booking, await this.book({ slot: aSlot(aResource()) }), await this.book({})]);
  }

  async #makeFirst(): Promise<Made> {
    const payload = { slot: aSlot(aResource()) };
    const key = aKey();
    const response = await this.create(payload, key);
    return { payload, key, response, booking: readBooking(response) };
  }
}

export function post<Body extends string | Uint8Array>(body: Body, headers: Headers = {}): OutgoingRequest<Body> {
  return { method: 'POST', target: COLLECTION, headers: { ...JSON_HEADERS, ...headers }, body };
}

export function listOf(query: Query): string {
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return `${COLLECTION}?${new URLSearchParams(pairs).toString()}`;
}

export function pathOf(bookingId: string): string {
  return `${COLLECTION}/${encodeURIComponent(bookingId)}`;
}
