import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from 'testing';
import { problemType } from '../src/problem-types.js';
import { COLLECTION } from '../src/service.js';

export interface StubResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

export interface StubOptions {
  /** Responds in place of the stub; `respond` returns the stub's own response. */
  around?(request: IncomingMessage, respond: () => Promise<StubResponse>): Promise<StubResponse>;
  /** The schema of a deployment. @returns the pointer to a rejected member */
  errorIn?(payload: Readonly<Record<string, unknown>>): string | undefined;
}

/** Only the three operations: enough for the level `specification`. */
export class StubService {
  readonly bookings = new Map<string, object>();
  stop!: () => Promise<void>;
  readonly #server = createServer({ keepAliveTimeout: 1 }, (request, response) => void this.#serve(request, response));

  constructor(private readonly options: StubOptions = {}) {}

  async start(): Promise<string> {
    const { url, close } = await listen(this.#server);
    this.stop = close;
    return url;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const respond = (): Promise<StubResponse> => this.#respond(request);
      const { status, headers, body } = await (this.options.around?.(request, respond) ?? respond());
      // Some checks wait until the connection ends.
      response.writeHead(status, { Connection: 'close', ...headers }).end(body && JSON.stringify(body));
    } catch {
      // Some checks abandon a request.
      response.destroy();
    }
  }

  async #respond(request: IncomingMessage): Promise<StubResponse> {
    const path = request.url!.split('?', 1)[0]!;
    if (path === COLLECTION && request.method === 'POST') return this.#create(request);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const list = { bookings: [...this.bookings.values()], next_cursor: null };
    const body = path === COLLECTION ? list : this.bookings.get(path);
    return isRead && body !== undefined ? { status: 200, body } : { status: 404 };
  }

  async #create(request: IncomingMessage): Promise<StubResponse> {
    const { 'transfer-encoding': coding, 'content-length': length = 0 } = request.headers;
    // Some checks send a body that never ends.
    if (coding !== undefined || Number(length) > 65_536) return { status: 413 };
    const payload = JSON.parse((await text(request)) || '{}') as Record<string, unknown>;
    const pointer = this.options.errorIn?.(payload);
    if (pointer !== undefined) {
      return { status: 422, body: { type: problemType('invalid-booking'), errors: [{ pointer, detail: 'is wrong' }] } };
    }
    const id = randomUUID();
    const booking = { booking_id: id, created_at: new Date().toISOString(), ...payload };
    this.bookings.set(`${COLLECTION}/${id}`, booking);
    return { status: 201, headers: { Location: `${COLLECTION}/${id}` }, body: booking };
  }
}
