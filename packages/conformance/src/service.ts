import type { Connection } from './connection.js';
import type { Delivered } from './events-receiver.js';
import type { ReceivedResponse, OutgoingRequest } from './exchange.js';
import type { Specimens } from './specimens.js';

export const COLLECTION = '/v1/bookings';
export const JSON_HEADERS = { 'content-type': 'application/json' };

export type Headers = NonNullable<OutgoingRequest['headers']>;
export type Query = Readonly<Record<string, string | number>>;

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The service as one check sees it. */
export class Service {
  /** @param mayWrite whether the check says that it writes */
  constructor(
    readonly connection: Connection,
    private readonly specimens: Specimens,
    private readonly mayWrite: boolean,
    private readonly events?: (service: Service) => Promise<Delivered>,
  ) {}

  /** @throws NoResponse; TypeError for a write of a check that says it writes nothing */
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
  async pipeline(requests: readonly OutgoingRequest[]): Promise<string> {
    const bytes = requests.map((request) => this.connection.bytesOf(this.#allowed(request)));
    return this.connection.sendBytes(bytes.join(''));
  }

  get(target: string, headers: Headers = {}): Promise<ReceivedResponse> {
    return this.send({ target, headers });
  }

  /** Lists with these parameters, percent-encoded. */
  list(query: Query, headers: Headers = {}): Promise<ReceivedResponse> {
    return this.get(`${COLLECTION}?${toSearch(query)}`, headers);
  }

  /** Sends a body to the collection, as JSON unless the headers say otherwise. */
  post(body: string | Uint8Array, headers: Headers = {}): Promise<ReceivedResponse> {
    return this.send({ method: 'POST', body, headers: { ...JSON_HEADERS, ...headers } });
  }

  /** Creates from a payload, under a key where one is given. */
  create(payload: object, key?: string): Promise<ReceivedResponse> {
    return this.post(JSON.stringify(payload), key === undefined ? {} : { 'idempotency-key': key });
  }

  /**
   * The id of a booking that is there. The run makes it, before any check; where it may not write, it
   * takes one from the list.
   *
   * @throws Skipped if it may not write and there is none
   */
  async anId(): Promise<string> {
    return (await this.ids(1))[0]!;
  }

  /** As {@link anId}, for up to three of them. */
  ids(count: number): Promise<string[]> {
    return this.specimens.ids(count);
  }

  /** What the endpoint receives of bookings that are made for it, once in a run. @throws TypeError where none are received */
  delivered(): Promise<Delivered> {
    if (this.events === undefined) throw new TypeError('a check of events, in a run that receives none');
    return this.events(this);
  }

  #allowed(request: OutgoingRequest): OutgoingRequest {
    if (!this.mayWrite && !SAFE_METHODS.has(request.method)) {
      throw new TypeError(`a check that says it writes nothing wants to send ${request.method}`);
    }
    return request;
  }
}

function toSearch(query: Query): string {
  return new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
}

/** The path of a booking. */
export function pathOf(bookingId: string): string {
  return `${COLLECTION}/${encodeURIComponent(bookingId)}`;
}
