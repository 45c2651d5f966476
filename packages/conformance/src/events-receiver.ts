import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { text } from 'node:stream/consumers';

/** Where a run receives the events of the service, and the secret that they are signed with. */
export interface EventsOptions {
  /** 1 to 65535. */
  port: number;
  /** The address to listen on, default 127.0.0.1. */
  host?: string | undefined;
  /** `whsec_` and the Base64 of 24 to 64 bytes. */
  secret: string;
}

/** One request of the service to its endpoint. */
export interface Delivery {
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  /** The booking that it is about, by `webhook-id`. */
  readonly bookingId: string;
  /** Whether one of its signatures is the endpoint's, as Standard Webhooks 1.0 defines it. */
  readonly isSigned: boolean;
  /** Whether it was acknowledged; the others were answered with 503. */
  readonly isAcknowledged: boolean;
}

/** The bookings that were made for a run, and what the endpoint received of them. */
export interface Delivered {
  /** The text that a get returns of each, by id, in the order of creation. */
  readonly texts: ReadonlyMap<string, string>;
  /** In the order in which they came. */
  readonly deliveries: readonly Delivery[];
}

/** The endpoint of a run: keeps all that the service sends, in the order in which it came. */
export class EventsReceiver {
  readonly deliveries: Delivery[] = [];
  /** The first event with this text in its body is answered with 503, so that it has to be sent again. */
  rejectsOnce: string | undefined;
  readonly #server: Server;

  /** @param key the bytes of the secret */
  private constructor(private readonly key: Buffer) {
    this.#server = createServer((request, response) => {
      text(request).then(
        (body) => response.writeHead(this.#receive(request.headers, body) ? 204 : 503).end(),
        () => response.destroy(),
      );
    });
  }

  /** @throws TypeError when it cannot listen on the port */
  static async start({ port, host = '127.0.0.1', secret }: EventsOptions): Promise<EventsReceiver> {
    const receiver = new EventsReceiver(Buffer.from(secret.slice('whsec_'.length), 'base64'));
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

  /** @returns whether it is acknowledged */
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
