import { type Agent, request as requestPlainly, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestSecurely } from 'node:https';
import type { LookupFunction } from 'node:net';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';

/** How a receiver responded, or why it did not. */
export type SendResult =
  | { readonly kind: 'response'; readonly status: number; readonly retryAfter: number | undefined }
  | { readonly kind: 'timeout' | 'unreachable' | 'private_address'; readonly reason: string };

export interface SenderSettings {
  /** Whether requests may go to addresses that are not public. */
  readonly allowPrivate: boolean;
  /** Milliseconds that a request may take until the head of its response is there. */
  readonly timeout: number;
  /** `dns.lookup` if it is not set. */
  readonly lookup?: LookupFunction | undefined;
}

/** Concurrent requests, at most, each on its own connection. */
export const MAX_REQUESTS = 16;

/** Bytes of a response, and milliseconds for them, that are read so that its connection can be used again. */
const MAX_RESPONSE_BYTES = 16_384;
const RESPONSE_TIMEOUT = 1_000;

/** The longest `Retry-After` that is obeyed, in milliseconds. */
export const MAX_RETRY_AFTER = 86_400_000;

/** The message of `request-filtering-agent` for an address that it does not connect to; the error has no code. */
const PRIVATE_ADDRESS = /^DNS lookup (?<address>\S+?)\(.* is not allowed\./;

/**
 * Sends to a URL that someone else chose. The address is checked when the connection is made, so that a name cannot
 * resolve to another one in between; a redirect is a response like any other; only the head of a response counts.
 */
export class WebhookSender {
  private readonly agents: { readonly http: Agent; readonly https: Agent };

  constructor(private readonly settings: SenderSettings) {
    const { allowPrivate, lookup } = settings;
    const options = {
      keepAlive: true,
      maxSockets: MAX_REQUESTS,
      maxFreeSockets: MAX_REQUESTS,
      allowPrivateIPAddress: allowPrivate,
      ...(lookup && { lookup }),
    };
    this.agents = { http: new RequestFilteringHttpAgent(options), https: new RequestFilteringHttpsAgent(options) };
  }

  /** @param signal aborts the request */
  async send(url: string, headers: Record<string, string>, body: string, signal: AbortSignal): Promise<SendResult> {
    const bytes = Buffer.from(body);
    const options = {
      method: 'POST',
      headers: { 'user-agent': 'booking-service', ...headers, 'content-length': bytes.length },
    };
    try {
      return await this.request(url, options, bytes, signal);
    } catch (error) {
      // A connection that was kept open may be closed by the receiver at the moment it is used (Node, `reusedSocket`).
      if (!isStale(error)) return failureOf(error);
      return this.request(url, options, bytes, signal).catch(failureOf);
    }
  }

  close(): void {
    this.agents.http.destroy();
    this.agents.https.destroy();
  }

  private request(url: string, options: RequestOptions, body: Buffer, signal: AbortSignal): Promise<SendResult> {
    const isSecure = url.startsWith('https:');
    const agent = isSecure ? this.agents.https : this.agents.http;
    return new Promise((resolve, reject) => {
      const outgoing = (isSecure ? requestSecurely : requestPlainly)(url, { ...options, agent, signal });
      const timer = setTimeout(
        () => outgoing.destroy(new Timeout(`no response within ${this.settings.timeout} ms`)),
        this.settings.timeout,
      );
      outgoing.once('response', (response) => {
        clearTimeout(timer);
        discardBody(response);
        const retryAfter = retryAfterOf(response.headers['retry-after']);
        resolve({ kind: 'response', status: response.statusCode!, retryAfter });
      });
      outgoing.once('close', () => {
        clearTimeout(timer);
        reject(new Error('the connection was closed without a response'));
      });
      outgoing.on('error', (error: SendError) => {
        error.isReused = outgoing.reusedSocket;
        reject(error);
      });
      outgoing.end(body);
    });
  }
}

type SendError = NodeJS.ErrnoException & { isReused?: boolean };

class Timeout extends Error {}

function isStale(error: unknown): boolean {
  const { code, isReused } = error as SendError;
  return isReused === true && (code === 'ECONNRESET' || code === 'EPIPE');
}

function failureOf(error: unknown): SendResult {
  const { message, code } = error as NodeJS.ErrnoException;
  if (error instanceof Timeout) return { kind: 'timeout', reason: message };
  const address = PRIVATE_ADDRESS.exec(message)?.groups?.['address'];
  if (address !== undefined) return { kind: 'private_address', reason: `${address} is not a public address` };
  return { kind: 'unreachable', reason: code ?? message };
}

/** Reads a short response to its end; the connection of any other is closed. */
function discardBody(response: IncomingMessage): void {
  let bytes = 0;
  const timer = setTimeout(() => response.destroy(), RESPONSE_TIMEOUT);
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_RESPONSE_BYTES) response.destroy();
  });
  response.on('error', () => {});
  response.once('close', () => clearTimeout(timer));
}

/** Milliseconds, of seconds or an HTTP date (RFC 9110 §10.2.3). */
function retryAfterOf(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const wait = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(0, wait), MAX_RETRY_AFTER);
}
