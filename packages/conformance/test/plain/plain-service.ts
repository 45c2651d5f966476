import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type CreateBookingDto, problemType, problemTypes } from '@booking-service/contracts';
import { type Endpoint, Notifications } from './notifications.js';
import { PlainBookings } from './plain-bookings.js';
import { expectOneMeaning, readJson, readKey, readPayload, readQuery } from './reading.js';
import { Rejected } from './rejected.js';

export interface PlainResponse {
  status: number;
  headers: Record<string, string | undefined>;
  body?: string;
}

/** What makes one service differ from the plain one. */
export interface Difference {
  /** Responds to a request instead of the service, which `respond` asks for its own response. */
  around?(request: IncomingMessage, respond: () => Promise<PlainResponse>): Promise<PlainResponse>;
  /** A schema of its own. @throws Rejected for a payload that is not as it says */
  expectPayload?(payload: CreateBookingDto): void;
  /** Is notified of every booking. */
  endpoint?: Endpoint;
}

const COLLECTION = '/v1/bookings';
const PAGES = new Set(['/docs', '/openapi.json', '/timetable', '/health/live', '/health/ready', '/metrics']);

/** A second implementation of docs/interface.md, on `node:http` alone. */
export class PlainService {
  readonly bookings = new PlainBookings();
  readonly #server = createServer({ requireHostHeader: false });
  readonly #notifications: Notifications | undefined;
  /** What is under way on each connection: one request at a time. */
  readonly #turns = new WeakMap<Socket, Promise<void>>();

  constructor(private readonly difference: Difference = {}) {
    this.#notifications = difference.endpoint && new Notifications(difference.endpoint);
    const serve = (request: IncomingMessage, response: ServerResponse): void => {
      const before = this.#turns.get(request.socket) ?? Promise.resolve();
      this.#turns.set(
        request.socket,
        before.then(() => this.#serve(request, response)),
      );
    };
    this.#server.on('request', serve);
    // The 100 is sent where the body is read.
    this.#server.on('checkContinue', serve);
    this.#server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
      // What follows a request that closes the connection is left alone, and its response comes.
      if (code === 'HPE_CLOSED_CONNECTION') return;
      const problem = code === 'HPE_HEADER_OVERFLOW' ? 'headers-too-large' : 'invalid-request';
      socket.end(asBytes(problemResponse(new Rejected(problem), '')));
    });
    this.#server.on('checkExpectation', (_request, response: ServerResponse) => {
      response.writeHead(417, { Connection: 'close' }).end();
    });
  }

  /** @returns its URL */
  async start(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#notifications?.stop();
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const respond = (): Promise<PlainResponse> => this.#respond(request);
      const { status, headers, body } = await (this.difference.around?.(request, respond) ?? respond());
      const { upgrade, 'transfer-encoding': coding } = request.headers;
      const common = {
        'X-Request-Id': requestIdOf(request),
        'Cache-Control': 'private, no-cache',
        ...((upgrade ?? coding) !== undefined && { Connection: 'close' }),
      };
      response.writeHead(status, { ...common, ...headers }).end(body);
    } catch (error) {
      // A request that broke off; whatever else it is, the check that sent it sees no response.
      response.destroy(error as Error);
    }
  }

  async #respond(request: IncomingMessage): Promise<PlainResponse> {
    const { url = '' } = request;
    const [path = ''] = url.split('?', 1);
    try {
      expectOneMeaning(request);
      return await this.#route(request, path, url.slice(path.length + 1));
    } catch (error) {
      if (error instanceof Rejected) return problemResponse(error, path);
      throw error;
    }
  }

  async #route(request: IncomingMessage, path: string, query: string): Promise<PlainResponse> {
    const { method = '' } = request;
    const isRead = method === 'GET' || method === 'HEAD';
    if (path === COLLECTION) {
      if (isRead) return this.#list(query);
      return method === 'POST' ? this.#create(request) : otherMethod(method, 'GET, HEAD, POST, OPTIONS');
    }
    const [, id] = /^\/v1\/bookings\/([^/]+)$/.exec(path) ?? [];
    if (id === undefined && !PAGES.has(path)) {
      if (path !== '/' || request.headers.accept?.startsWith('text/html') !== true)
        throw new Rejected('route-not-found');
      return { status: 302, headers: { Location: '/timetable' } };
    }
    if (!isRead) return otherMethod(method, 'GET, HEAD, OPTIONS');
    return id === undefined ? { status: 200, headers: {}, body: 'a page' } : this.#get(id, request);
  }

  #list(query: string): PlainResponse {
    const { bookings, nextCursor } = this.bookings.list(readQuery(query));
    const body = `{"bookings":[${bookings.map(({ json }) => json).join(',')}],"next_cursor":${JSON.stringify(nextCursor)}}`;
    if (nextCursor === null) return json(200, body);
    const next = new URLSearchParams(query);
    next.set('cursor', nextCursor);
    return json(200, body, { Link: `<${COLLECTION}?${next.toString()}>; rel="next"` });
  }

  async #create(request: IncomingMessage): Promise<PlainResponse> {
    const key = readKey(request);
    const payload = readPayload(await readJson(request));
    this.difference.expectPayload?.(payload);
    const { kept, replayed } = this.bookings.create(payload, key);
    if (!replayed) this.#notifications?.notify(kept);
    const headers = { Location: `${COLLECTION}/${kept.id}`, ETag: `"${kept.id}"` };
    return json(201, kept.json, { ...headers, ...(replayed && { 'Idempotent-Replayed': 'true' }) });
  }

  #get(escaped: string, { headers }: IncomingMessage): PlainResponse {
    const kept = this.bookings.find(decoded(escaped));
    if (kept === undefined) throw new Rejected('booking-not-found');
    const tags = (headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
    const etag = `"${kept.id}"`;
    if (tags.includes(etag) || tags.join() === '*') return { status: 304, headers: { ETag: etag } };
    return json(200, kept.json, { ETag: etag });
  }
}

function otherMethod(method: string, allow: string): PlainResponse {
  if (method === 'OPTIONS') return { status: 204, headers: { Allow: allow } };
  throw new Rejected('method-not-allowed', {}, { Allow: allow });
}

function problemResponse({ problem, members, headers }: Rejected, instance: string): PlainResponse {
  const { status } = problemTypes[problem];
  const body = {
    type: problemType(problem),
    ...problemTypes[problem],
    detail: 'It is rejected.',
    instance,
    ...members,
  };
  return json(status, JSON.stringify(body), { 'Content-Type': 'application/problem+json', ...headers });
}

function json(status: number, body: string, headers: PlainResponse['headers'] = {}): PlainResponse {
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body };
}

function requestIdOf({ headers }: IncomingMessage): string {
  const given = String(headers['x-request-id'] ?? '');
  return /^[!-~]{1,128}$/.test(given) ? given : randomUUID();
}

/** A response where there is no whole request. */
function asBytes({ status, headers, body }: PlainResponse): string {
  const lines = Object.entries({ ...headers, 'X-Request-Id': randomUUID() }).map((pair) => pair.join(': '));
  return `HTTP/1.1 ${status} Rejected\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

function decoded(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    throw new Rejected('invalid-request');
  }
}
