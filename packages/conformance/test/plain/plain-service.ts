import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type CreateBookingDto, problemType, problemTypes } from '@booking-service/contracts';
import { LocalServer } from '../local-server.js';
import { type Kept, PlainBookings } from './plain-bookings.js';
import { expectOneMeaning, readJson, readKey, readPayload, readQuery } from './reading.js';
import { Rejected } from './rejected.js';

export interface PlainResponse {
  status: number;
  headers: Record<string, string>;
  body?: string;
}

const COLLECTION = '/v1/bookings';
const PAGES = new Set(['/docs', '/openapi.json', '/timetable', '/health/live', '/health/ready', '/metrics']);

/** A second implementation of docs/interface.md, on `node:http` alone. A faulty one overrides what it does wrong. */
export class PlainService extends LocalServer {
  /** What is under way on each connection: one request at a time. */
  readonly #turns = new WeakMap<Socket, Promise<void>>();

  constructor(protected readonly bookings = new PlainBookings()) {
    const serve = (request: IncomingMessage, response: ServerResponse): void => {
      const before = this.#turns.get(request.socket) ?? Promise.resolve();
      this.#turns.set(
        request.socket,
        before.then(() => this.#serve(request, response)),
      );
    };
    const server = createServer({ requireHostHeader: false }, serve);
    // The 100 is sent where the body is read.
    server.on('checkContinue', serve);
    server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
      // What follows a request that closes the connection is left alone, and its response comes.
      if (code === 'HPE_CLOSED_CONNECTION') return;
      const problem = code === 'HPE_HEADER_OVERFLOW' ? 'headers-too-large' : 'invalid-request';
      socket.end(asBytes(this.problem(new Rejected(problem), '')));
    });
    server.on('checkExpectation', (_request, response) => response.writeHead(417, { Connection: 'close' }).end());
    super(server);
  }

  /** Every request comes through here, and every response leaves from here. */
  protected async response(request: IncomingMessage): Promise<PlainResponse> {
    const [path, query] = this.target(request);
    try {
      this.checkFraming(request);
      return await this.route(request, path, query);
    } catch (error) {
      if (error instanceof Rejected) return this.problem(error, path);
      throw error;
    }
  }

  /** @throws Rejected */
  protected checkFraming(request: IncomingMessage): void {
    expectOneMeaning(request);
  }

  protected target({ url = '' }: IncomingMessage): [path: string, query: string] {
    const start = url.indexOf('?');
    return start === -1 ? [url, ''] : [url.slice(0, start), url.slice(start + 1)];
  }

  protected async route(request: IncomingMessage, path: string, query: string): Promise<PlainResponse> {
    const { method = '' } = request;
    const isRead = method === 'GET' || method === 'HEAD';
    if (path === COLLECTION) {
      if (isRead) return this.list(query);
      return method === 'POST' ? this.create(request) : this.otherMethod(method, 'GET, HEAD, POST, OPTIONS');
    }
    const [, id] = /^\/v1\/bookings\/([^/]+)$/.exec(path) ?? [];
    if (id !== undefined) return isRead ? this.get(id, request) : this.otherMethod(method, 'GET, HEAD, OPTIONS');
    if (PAGES.has(path)) {
      return isRead ? { status: 200, headers: {}, body: 'a page' } : this.otherMethod(method, 'GET, HEAD, OPTIONS');
    }
    if (path === '/' && request.headers.accept?.startsWith('text/html')) {
      return { status: 302, headers: { Location: '/timetable' } };
    }
    throw new Rejected('route-not-found');
  }

  protected list(query: string): PlainResponse {
    const { bookings, nextCursor } = this.bookings.list(readQuery(query));
    const body = `{"bookings":[${bookings.map(({ json }) => json).join(',')}],"next_cursor":${JSON.stringify(nextCursor)}}`;
    if (nextCursor === null) return json(200, body);
    const next = new URLSearchParams(query);
    next.set('cursor', nextCursor);
    return json(200, body, { Link: `<${COLLECTION}?${next.toString()}>; rel="next"` });
  }

  protected async create(request: IncomingMessage): Promise<PlainResponse> {
    const key = readKey(request);
    const { kept, replayed } = await this.bookings.create(this.payload(await this.body(request)), key);
    const headers = { Location: `${COLLECTION}/${kept.id}`, ETag: `"${kept.id}"` };
    return json(201, kept.json, { ...headers, ...(replayed && { 'Idempotent-Replayed': 'true' }) });
  }

  protected body(request: IncomingMessage): Promise<unknown> {
    return readJson(request);
  }

  protected payload(value: unknown): CreateBookingDto {
    return readPayload(value);
  }

  protected get(escaped: string, { headers }: IncomingMessage): PlainResponse {
    const kept = this.bookings.find(decoded(escaped));
    if (kept === undefined) throw new Rejected('booking-not-found');
    const tags = (headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
    const etag = `"${kept.id}"`;
    if (tags.includes(etag) || tags.join() === '*') return { status: 304, headers: { ETag: etag } };
    return json(200, this.rendered(kept), { ETag: etag });
  }

  /** What a get returns of a booking. */
  protected rendered({ json }: Kept): string {
    return json;
  }

  protected otherMethod(method: string, allow: string): PlainResponse {
    if (method === 'OPTIONS') return { status: 204, headers: { Allow: allow } };
    throw new Rejected('method-not-allowed', {}, { Allow: allow });
  }

  protected problem({ problem, members, headers }: Rejected, instance: string): PlainResponse {
    const body = {
      type: problemType(problem),
      ...problemTypes[problem],
      detail: 'It is rejected.',
      instance,
      ...members,
    };
    return {
      status: problemTypes[problem].status,
      headers: { 'Content-Type': 'application/problem+json', ...headers },
      body: JSON.stringify(body),
    };
  }

  /** What every response has. */
  protected common({ headers }: IncomingMessage): Record<string, string> {
    return { 'Cache-Control': 'private, no-cache', ...(headers.upgrade !== undefined && { Connection: 'close' }) };
  }

  protected requestId({ headers }: IncomingMessage): string {
    const given = String(headers['x-request-id']);
    return headers['x-request-id'] !== undefined && /^[!-~]{1,128}$/.test(given) ? given : randomUUID();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const { status, headers, body } = await this.response(request);
      response.writeHead(status, { 'X-Request-Id': this.requestId(request), ...this.common(request), ...headers });
      response.end(body);
    } catch (error) {
      // A request that broke off; whatever else it is, the check that sent it sees no response.
      response.destroy(error as Error);
    }
  }
}

function json(status: number, body: string, headers: Record<string, string> = {}): PlainResponse {
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body };
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
