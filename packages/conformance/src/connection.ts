import http, { type ClientRequest } from 'node:http';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import type { DeploymentPayload } from './deployment.js';
import type { OutgoingRequest, ReceivedBytes, ReceivedResponse } from './exchange.js';
import { brief } from './expectations.js';
import { Failure, NoResponse, Skipped } from './failure.js';
import { readAll, responseTo, write } from './node-http.js';

/** Maximum MiB of a response; a page of bookings has up to about 1 MiB. */
const MAX_RESPONSE = 8;

/** Milliseconds for which an idle connection may be reused. After that, the service might be closing it. */
const MAX_IDLE = 2_000;

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

interface Destination {
  readonly url: URL;
  /** Headers of every request, by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly readOnly: boolean;
  /** Milliseconds within which a response must be complete. */
  readonly timeout: number;
  readonly onResponse: (response: ReceivedResponse) => void;
}

/**
 * Sends requests as checks give them, with the headers of the run and the members that the deployment requires. `fetch`
 * would add headers, normalize paths and end every request.
 */
export class Connection {
  readonly #agent: http.Agent;

  constructor(
    private readonly destination: Destination,
    private readonly deployment: DeploymentPayload,
  ) {
    const options = { keepAlive: true, timeout: MAX_IDLE };
    this.#agent = this.#isSecure ? new https.Agent(options) : new http.Agent(options);
  }

  /** @throws NoResponse if no complete response arrives in time, Skipped for a write in a read-only run */
  async send(request: OutgoingRequest): Promise<ReceivedResponse> {
    const response = await this.#receive(this.#prepared(request));
    this.deployment.noteRejection(response);
    this.destination.onResponse(response);
    return response;
  }

  /** Sends a request, and closes the connection once the request is sent or, with `received`, its response begins. */
  async abandon(given: OutgoingRequest, when: 'sent' | 'received'): Promise<void> {
    const request = this.#prepared(given);
    const outgoing = this.#open(request, false);
    outgoing.on('error', () => {});
    const closed = new Promise((resolve) => outgoing.once('close', resolve));
    outgoing.once(when === 'sent' ? 'finish' : 'response', () => outgoing.destroy());
    const timer = setTimeout(() => outgoing.destroy(), this.destination.timeout);
    write(outgoing, request);
    await closed;
    clearTimeout(timer);
  }

  /** Sends requests on one connection, all at once. One of them has to make the service close the connection. */
  async pipeline(...requests: readonly OutgoingRequest<string>[]): Promise<ReceivedBytes> {
    return this.sendBytes(requests.map((request) => this.bytesOf(request)).join(''));
  }

  /**
   * Sends bytes on a new connection, and waits until the service closes it.
   *
   * @throws Failure if the connection breaks, is still open after `timeout` milliseconds, or does not stop sending
   */
  async sendBytes(bytes: string | Uint8Array, timeout = this.destination.timeout): Promise<ReceivedBytes> {
    const request = { method: 'bytes', target: JSON.stringify(this.#withoutHeaders(bytes)) };
    const socket = this.#connect();
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => socket.destroy(new Error(`still open after ${timeout} ms`)), timeout);
    try {
      socket.write(bytes);
      const received = await readAll(socket, MAX_RESPONSE, chunks);
      return { request, text: received.toString() };
    } catch (error) {
      const reason = reasonOf(error as Error);
      if (chunks.length === 0) throw new NoResponse(reason, request);
      const received = brief(Buffer.concat(chunks).toString());
      throw new Failure('a response that closes the connection', `${reason}, and received ${received}`, request);
    } finally {
      clearTimeout(timer);
      socket.destroy();
    }
  }

  /** The bytes as a report shows them: without the headers of the run, which may contain a secret. */
  #withoutHeaders(bytes: string | Uint8Array): string {
    const lines = Object.entries(this.destination.headers).map((header) => `${header.join(': ')}\r\n`);
    return lines.reduce((text, line) => text.replaceAll(line, ''), Buffer.from(bytes).toString());
  }

  /** The text of a request in HTTP/1.1, with the headers of the run. */
  bytesOf(given: OutgoingRequest<string>): string {
    const { method, target, headers, body } = this.#prepared(given);
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const all = { host: this.destination.url.host, ...length, ...this.destination.headers, ...headers };
    const lines = Object.entries(all).flatMap(([name, values]) => [values].flat().map((value) => `${name}: ${value}`));
    return [`${method} ${this.#prefix}${target} HTTP/1.1`, ...lines, '', body ?? ''].join('\r\n');
  }

  close(): void {
    this.#agent.destroy();
  }

  get #isSecure(): boolean {
    return this.destination.url.protocol === 'https:';
  }

  /** The host; an IPv6 address has no brackets. */
  get #hostname(): string {
    return this.destination.url.hostname.replace(/^\[|\]$/g, '');
  }

  /** The path of the URL without trailing slashes. */
  get #prefix(): string {
    return this.destination.url.pathname.replace(/\/+$/, '');
  }

  #prepared<Request extends OutgoingRequest>(request: Request): Request {
    if (this.destination.readOnly && !SAFE_METHODS.has(request.method)) {
      throw new Skipped('it writes, and this run is read-only');
    }
    return this.deployment.withMembers(request);
  }

  async #receive(request: OutgoingRequest): Promise<ReceivedResponse> {
    const { timeout } = this.destination;
    const outgoing = this.#open(request);
    const timer = setTimeout(() => outgoing.destroy(new Error(`not within ${timeout} ms`)), timeout);
    // The service may close the connection after an early response: an error after the response is ignored.
    outgoing.on('error', () => {});
    try {
      write(outgoing, request);
      const incoming = await responseTo(outgoing);
      const bytes = await readAll(incoming, MAX_RESPONSE);
      const { statusCode: status = 0, headers } = incoming;
      const received = headers as ReceivedResponse['headers'];
      return { request, status, headers: received, bytes, text: bytes.toString() };
    } catch (error) {
      const isRefused = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
      throw new NoResponse(reasonOf(error as Error), request, isRefused);
    } finally {
      clearTimeout(timer);
      if (request.unfinished === true) outgoing.destroy();
    }
  }

  #connect(): net.Socket {
    const host = this.#hostname;
    const port = Number(this.destination.url.port || (this.#isSecure ? 443 : 80));
    return this.#isSecure ? tls.connect({ host, port, servername: host }) : net.connect({ host, port });
  }

  #open({ method, target, headers = {} }: OutgoingRequest, agent: http.Agent | false = this.#agent): ClientRequest {
    const open = this.#isSecure ? https.request : http.request;
    return open({
      hostname: this.#hostname,
      port: this.destination.url.port,
      method,
      path: this.#prefix + target,
      headers: { ...this.destination.headers, ...(headers as Record<string, string | string[]>) },
      agent,
    });
  }
}

/** An error's message. Node's error for a host with several addresses has none: the error for the first address has. */
function reasonOf(error: Error): string {
  const [first = error] = error instanceof AggregateError ? (error.errors as Error[]) : [];
  return first.message;
}
