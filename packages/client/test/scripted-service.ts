import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';

export interface ReceivedRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** The response to one request. */
export type Reply = (response: ServerResponse) => void;

/** A real server on 127.0.0.1 whose response to each request is the next of its script, the last one for ever. */
export class ScriptedService {
  readonly requests: ReceivedRequest[] = [];
  #script: Reply[] = [];
  readonly #server = createServer((request, response) => void this.#respond(request, response));

  static async start(): Promise<ScriptedService> {
    const service = new ScriptedService();
    await new Promise<void>((resolve) => service.#server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Forgets what was received and follows this script from now on. */
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

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return text(status, JSON.stringify(body), { 'content-type': 'application/json; charset=utf-8', ...headers });
}

export function text(status: number, body: string, headers: Record<string, string> = {}): Reply {
  return (response) => response.writeHead(status, headers).end(body);
}

export function problem(
  status: number,
  name: string,
  members: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Reply {
  const type = `urn:problem-type:bookings:${name}`;
  const body = { type, title: `A ${name}`, status, detail: 'for a test', instance: '/v1/bookings', ...members };
  return json(status, body, { 'content-type': 'application/problem+json; charset=utf-8', ...headers });
}

/** Closes the connection without a word. */
export const hangUp: Reply = (response) => response.destroy();

/** Never responds. */
export const silence: Reply = () => {};

/** Sends the head and half of a booking; nothing comes after it. */
export const stallHalfway: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"booking_id":');
};

/** Sends the head and half of a booking, and closes the connection. */
export const breakOff: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"booking_id":', () => response.destroy());
};
