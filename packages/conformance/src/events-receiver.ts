import { createHmac, timingSafeEqual } from 'node:crypto';
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
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** Whether it was acknowledged. */
  readonly isTaken: boolean;
  /** The members of the body, where it is a JSON object. */
  readonly event: Readonly<Record<string, unknown>>;
}

/** The bookings that were made for a run, and what the endpoint received of them. */
export interface Delivered {
  /** Ids of bookings that were made, in the order of creation. */
  readonly ids: readonly string[];
  /** The booking whose event was answered with 503 at first. */
  readonly rejectedId: string | undefined;
  /** The text that a get returns, by id. */
  readonly texts: ReadonlyMap<string, string>;
  /** The requests of these bookings, in the order in which they came. */
  readonly deliveries: readonly Delivery[];
  readonly receiver: EventsReceiver;
}

/** The endpoint of a run: keeps all that the service sends, in the order in which it came. */
export class EventsReceiver {
  readonly deliveries: Delivery[] = [];
  /** Decides which events are answered with 503, so that they have to be sent again. */
  rejects: (delivery: Omit<Delivery, 'isTaken'>) => boolean = () => false;

  private constructor(
    private readonly server: Server,
    private readonly key: Buffer,
  ) {}

  /** @throws TypeError when it cannot listen on the port */
  static async start({ port, host = '127.0.0.1', secret }: EventsOptions): Promise<EventsReceiver> {
    const server = createServer();
    const receiver = new EventsReceiver(server, Buffer.from(secret.slice('whsec_'.length), 'base64'));
    server.on('request', (request, response) => {
      text(request).then(
        (body) => response.writeHead(receiver.#take(request.headers, body) ? 204 : 503).end(),
        () => response.destroy(),
      );
    });
    try {
      server.listen(port, host);
      await once(server, 'listening');
    } catch (cause) {
      throw new TypeError(`nothing can listen on port ${port} of ${host}: ${(cause as Error).message}`, { cause });
    }
    return receiver;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  /** Whether one of the signatures is the endpoint's, as Standard Webhooks 1.0 defines it. */
  isSigned({ headers, body }: Delivery): boolean {
    const signed = `${one(headers['webhook-id'])}.${one(headers['webhook-timestamp'])}.${body}`;
    const expected = Buffer.from(`v1,${createHmac('sha256', this.key).update(signed).digest('base64')}`);
    return one(headers['webhook-signature'])
      .split(' ')
      .map((signature) => Buffer.from(signature))
      .some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected));
  }

  #take(headers: IncomingHttpHeaders, body: string): boolean {
    const delivery = { headers, body, event: objectIn(body) };
    const isTaken = !this.rejects(delivery);
    this.deliveries.push({ ...delivery, isTaken });
    return isTaken;
  }
}

/** The id of the booking of an event. */
export function bookingIdOf({ headers }: Pick<Delivery, 'headers'>): string {
  return one(headers['webhook-id']).replace(/^created-/, '');
}

export function one(header: string | string[] | undefined): string {
  return String(header ?? '');
}

function objectIn(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
