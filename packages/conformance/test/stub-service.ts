import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json as readJson } from 'node:stream/consumers';

export interface StubResponse {
  status: number;
  headers?: Record<string, string>;
  body?: object;
}

/** Responds to a request instead of the stub, which `respond` asks for its own response. */
export type Around = (request: IncomingMessage, respond: () => Promise<StubResponse>) => Promise<StubResponse>;

/** A problem with the errors of a payload. */
export function invalid(pointer: string, detail: string): StubResponse {
  const type = 'urn:problem-type:bookings:invalid-booking';
  return { status: 422, body: { type, errors: [{ pointer, detail }] } };
}

/** Keeps the specification and little else: enough to see what the kit says of a service that differs from it. */
export class StubService {
  readonly bookings: { booking_id: string }[] = [];
  readonly #server;

  constructor(around: Around = (_, respond) => respond()) {
    const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { status, headers, body } = await around(request, () => this.#respond(request));
      const type = status < 400 ? 'application/json' : 'application/problem+json';
      response.writeHead(status, { 'Content-Type': type, ...headers }).end(body && JSON.stringify(body));
    };
    this.#server = createServer((request, response) => void serve(request, response));
  }

  /** @returns its URL */
  async start(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #respond(request: IncomingMessage): Promise<StubResponse> {
    const [path = ''] = request.url!.split('?', 1);
    const [, id] = /^\/v1\/bookings\/([^/]+)$/.exec(path) ?? [];
    const booking = this.bookings.find(({ booking_id: each }) => each === id);
    if (path !== '/v1/bookings' && booking === undefined) return { status: 404 };
    if (request.method === 'GET') return { status: 200, body: booking ?? this.#page() };
    return request.method === 'POST' && booking === undefined ? this.#create(request) : { status: 405 };
  }

  async #create(request: IncomingMessage): Promise<StubResponse> {
    const payload = (await readJson(request).catch(() => ({}))) as object;
    const booking = { booking_id: `b${this.bookings.length}`, created_at: new Date().toISOString(), ...payload };
    this.bookings.push(booking);
    return { status: 201, headers: { Location: `/v1/bookings/${booking.booking_id}` }, body: booking };
  }

  #page(): object {
    return { bookings: this.bookings.slice(-3), next_cursor: null };
  }
}
