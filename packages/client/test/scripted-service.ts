import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { type ProblemName, problemType } from '@booking-service/contracts/problem-types';
import { listen } from 'testing';

const { jest } = import.meta;

export interface ReceivedRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export type Reply = (response: ServerResponse) => void;

/** A server on 127.0.0.1 that sends the replies of its script in turn, and repeats the last one. */
export class ScriptedService {
  readonly requests: ReceivedRequest[] = [];
  #script: Reply[] = [];

  private constructor(readonly baseUrl: string) {}

  /** Runs until the tests of the file have ended. */
  static async start(): Promise<ScriptedService> {
    const server = createServer();
    const { url, close } = await listen(server);
    afterAll(close);
    const service = new ScriptedService(url);
    server.on('request', (request, response) => void service.#respond(request, response));
    return service;
  }

  /** Begins a new script, and forgets the received requests. */
  respondsWith(...script: Reply[]): void {
    this.requests.length = 0;
    this.#script = script;
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const reply = this.#script[Math.min(this.requests.length, this.#script.length - 1)];
    this.requests.push({ method, url, headers, body: await readText(request) });
    reply?.(response);
  }
}

/** Makes each pause before a retry 0 ms, unless there is a `Retry-After`. */
export function mockBackoff(): void {
  beforeEach(() => jest.spyOn(Math, 'random').mockReturnValue(0));
  afterEach(() => jest.restoreAllMocks());
}

export const booking = { booking_id: 'b1', created_at: '2026-11-20T18:12:03.417Z', guest: 'Ada' };

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return text(status, JSON.stringify(body), { 'content-type': 'application/json; charset=utf-8', ...headers });
}

export function text(status: number, body: string, headers: Record<string, string> = {}): Reply {
  return (response) => response.writeHead(status, headers).end(body);
}

export function problem(
  status: number,
  name: ProblemName,
  members: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Reply {
  const body = {
    type: problemType(name),
    title: `A ${name}`,
    status,
    detail: 'for a test',
    instance: '/v1/bookings',
    ...members,
  };
  return json(status, body, { 'content-type': 'application/problem+json; charset=utf-8', ...headers });
}

export const hangUp: Reply = (response) => response.destroy();

export const silence: Reply = () => {};

/** Sends half of a booking, and keeps the connection open. */
export const stallHalfway: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"booking_id":');
};

/** Sends half of a booking, and closes the connection. */
export const breakOff: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"booking_id":', () => response.destroy());
};
