import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { readAll } from './node-http.js';

/** Maximum MiB of an event; a booking has up to 223 kB. */
const MAX_EVENT = 1;

export interface EventsOptions {
  /** The port to listen on, 1 to 65535. */
  port: number;
  /** The address to listen on, default 127.0.0.1. */
  host?: string | undefined;
  /** The endpoint's secret: `whsec_` and 24 to 64 bytes in Base64. */
  secret: string;
}

export interface Delivery {
  /** Headers by name in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  /** The id of the booking, from `webhook-id`. */
  readonly bookingId: string;
  /** Whether the event was signed with the secret (Standard Webhooks 1.0). */
  readonly isSigned: boolean;
  /** Whether the response was 204, rather than 503. */
  readonly isAcknowledged: boolean;
}

export interface Delivered {
  /** The JSON of each booking by its id, in the order of creation. */
  readonly texts: ReadonlyMap<string, string>;
  /** The deliveries for these bookings, in the order of arrival. */
  readonly deliveries: readonly Delivery[];
}

/** @throws TypeError if the secret is malformed */
export function keyOf(secret: string): Uint8Array {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const key = Buffer.from(base64, 'base64');
  if (key.length >= 24 && key.length <= 64) return key;
  throw new TypeError('the secret of events is not whsec_ and the Base64 of 24 to 64 bytes');
}

/** An endpoint that records its deliveries. */
export class EventsReceiver {
  readonly deliveries: Delivery[] = [];
  /** The first event that contains this text gets a 503. */
  rejectsOnce: string | undefined;
  readonly #server: Server;

  private constructor(private readonly key: Uint8Array) {
    this.#server = createServer((request, response) => {
      readAll(request, MAX_EVENT).then(
        (body) => response.writeHead(this.#receive(request.headers, body.toString()) ? 204 : 503).end(),
        () => response.destroy(),
      );
    });
  }

  /** @throws TypeError if nothing can listen on the port */
  static async start({ port, host = '127.0.0.1', secret }: EventsOptions): Promise<EventsReceiver> {
    const receiver = new EventsReceiver(keyOf(secret));
    try {
      await once(receiver.#server.listen(port, host), 'listening');
    } catch (cause) {
      throw new TypeError(`nothing can listen on port ${port} of ${host}: ${(cause as Error).message}`, { cause });
    }
    return receiver;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** @returns whether the event is acknowledged */
  #receive(given: IncomingHttpHeaders, body: string): boolean {
    const headers = given as Delivery['headers'];
    const {
      'webhook-id': id = '',
      'webhook-timestamp': timestamp = '',
      'webhook-signature': signatures = '',
    } = headers;
    const signature = `v1,${createHmac('sha256', this.key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    const isAcknowledged = this.rejectsOnce === undefined || !body.includes(this.rejectsOnce);
    if (!isAcknowledged) this.rejectsOnce = undefined;
    const isSigned = signatures.split(' ').includes(signature);
    this.deliveries.push({ headers, body, bookingId: id.replace(/^created-/, ''), isSigned, isAcknowledged });
    return isAcknowledged;
  }
}
