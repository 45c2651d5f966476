import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { listen } from './listen.js';
import { temporaryFolder } from './temporary-folder.js';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly path: string;
  readonly method: string;
  readonly event: {
    id: string;
    type: string;
    subject: string;
    time: string;
    data: { booking_id: string; slot?: { resource_id: string }; deleted_at?: string; n?: number };
  };
  /** The time of arrival, in milliseconds of `performance.now()`. */
  readonly at: number;
}

interface Endpoint {
  readonly name: string;
  readonly url: string;
  readonly secrets: readonly string[];
}

/** Responds, or leaves the request open. */
type Behaviour = (received: Received, response: ServerResponse, request: IncomingMessage) => unknown;

export function aSecret(bytes = 32): string {
  return `whsec_${randomBytes(bytes).toString('base64')}`;
}

/** Settings for a service that notifies endpoints on this machine. */
export function webhookSettings(...endpoints: Endpoint[]): Record<string, string> {
  const file = join(temporaryFolder(), 'webhooks.json');
  writeFileSync(file, JSON.stringify({ endpoints }));
  return { WEBHOOKS_FILE: file, WEBHOOKS_ALLOW_PRIVATE: 'true' };
}

export class Receiver {
  readonly received: Received[] = [];
  /** Events that got a 2xx. */
  readonly accepted: Received[] = [];
  behaviour: Behaviour = respond(204);
  url!: string;
  close!: () => Promise<void>;
  private readonly server = createServer((request, response) => void this.receive(request, response));

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    const { url, close } = await listen(receiver.server);
    receiver.url = `${url}/hook`;
    receiver.close = close;
    return receiver;
  }

  get connections(): Promise<number> {
    return new Promise((resolve) => this.server.getConnections((_, count) => resolve(count)));
  }

  /** Member `n` of every booking whose event was acknowledged. */
  get numbers(): (number | undefined)[] {
    return this.accepted.map(({ event }) => event.data.n);
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const { headers, url: path = '', method = '' } = request;
    const received = {
      headers,
      body,
      path,
      method,
      event: JSON.parse(body) as Received['event'],
      at: performance.now(),
    };
    this.received.push(received);
    response.on('finish', () => {
      if (response.statusCode < 300) this.accepted.push(received);
    });
    this.behaviour(received, response, request);
  }
}

export function respond(status: number, headers: Record<string, string> = {}): Behaviour {
  return (_, response) => response.writeHead(status, headers).end();
}
