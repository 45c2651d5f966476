import { once } from 'node:events';
import { type Agent, type IncomingMessage, request as requestPlainly } from 'node:http';
import { request as requestSecurely } from 'node:https';
import type { LookupFunction } from 'node:net';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';

/** The outcomes of an attempt, as the metric counts them. */
export const OUTCOMES = ['delivered', 'gone', 'retry', 'timeout', 'unreachable', 'private_address'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface SendResult {
  readonly outcome: Outcome;
  /** The status of the response, or why there is none. */
  readonly reason: string;
  /** Milliseconds for which the receiver wants no other request. */
  readonly retryAfter: number;
}

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

  async send(url: string, headers: Record<string, string>, body: string, signal: AbortSignal): Promise<SendResult> {
    const [request, agent] = url.startsWith('https:')
      ? [requestSecurely, this.agents.https]
      : [requestPlainly, this.agents.http];
    const length = { 'content-length': Buffer.byteLength(body) };
    const own = { 'user-agent': 'booking-service', ...headers, ...length };
    const outgoing = request(url, { method: 'POST', headers: own, agent, signal }).on('error', () => {});
    const { timeout } = this.settings;
    const timer = setTimeout(() => outgoing.destroy(new Timeout(`no response within ${timeout} ms`)), timeout);
    try {
      outgoing.end(body);
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
      discardBody(response);
      const retryAfter = retryAfterOf(response.headers['retry-after'] ?? '0');
      return { outcome: outcomeOf(response.statusCode!), reason: String(response.statusCode), retryAfter };
    } catch (error) {
      // A receiver may close a connection that was kept open at the moment it is used.
      const isStale = outgoing.reusedSocket && STALE.has((error as NodeJS.ErrnoException).code ?? '');
      return isStale ? await this.send(url, headers, body, signal) : failureOf(error);
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.agents.http.destroy();
    this.agents.https.destroy();
  }
}

/** What a request on a connection fails with that the other side has closed. */
const STALE = new Set(['ECONNRESET', 'EPIPE']);

class Timeout extends Error {}

function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return 'delivered';
  // The URL wants no more events (RFC 9110 §15.5.11).
  return status === 410 ? 'gone' : 'retry';
}

function failureOf(error: unknown): SendResult {
  const { message, code } = error as NodeJS.ErrnoException;
  if (error instanceof Timeout) return { outcome: 'timeout', reason: message, retryAfter: 0 };
  const address = PRIVATE_ADDRESS.exec(message)?.groups?.['address'];
  if (address === undefined) return { outcome: 'unreachable', reason: code ?? message, retryAfter: 0 };
  return { outcome: 'private_address', reason: `${address} is not a public address`, retryAfter: 0 };
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

/** Milliseconds, of seconds or an HTTP date (RFC 9110 §10.2.3); 0 of anything else. */
function retryAfterOf(header: string): number {
  const wait = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Math.min(Math.max(0, wait || 0), MAX_RETRY_AFTER);
}
