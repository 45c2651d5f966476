import { lookup as lookUpName } from 'node:dns';
import { type Agent, type ClientRequest, type IncomingMessage, request as requestPlainly } from 'node:http';
import { request as requestSecurely } from 'node:https';
import type { LookupFunction } from 'node:net';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';

export const OUTCOMES = ['delivered', 'gone', 'retry', 'timeout', 'unreachable', 'private_address'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface SendResult {
  readonly outcome: Outcome;
  /** The status of the response, or why there is none. */
  readonly reason: string;
  /** The `Retry-After` of the response, in milliseconds, {@link MAX_RETRY_AFTER} at most; 0 if it has none. */
  readonly retryAfter: number;
}

export interface SenderSettings {
  /** Whether private addresses and `http` are allowed. */
  readonly allowPrivate: boolean;
  /** Maximum milliseconds from the request to the head of the response, with all its tries. */
  readonly timeout: number;
  readonly lookup?: LookupFunction | undefined;
}

/** Maximum bytes of a response's body; if the body is longer, the connection is closed. */
const MAX_RESPONSE_BYTES = 16_384;
/** Milliseconds within which a response's body has to end; otherwise the connection is closed. */
const RESPONSE_TIMEOUT = 1_000;

/** Longest pause that `Retry-After` can ask for, in milliseconds. */
export const MAX_RETRY_AFTER = 86_400_000;

/** The error message of `request-filtering-agent`, whose errors have no code. */
const PRIVATE_ADDRESS = /^DNS lookup (?<address>\S+?)\(.* is not allowed\./;

/** Checks each address when connecting, so that DNS cannot change it after the check. Follows no redirects. */
export class WebhookSender {
  private readonly agents: { readonly http: Agent; readonly https: Agent };
  /** Callbacks that wait for a lookup in progress, by host name. */
  private readonly lookups = new Map<string, Parameters<LookupFunction>[2][]>();

  constructor(private readonly settings: SenderSettings) {
    const options = { keepAlive: true, allowPrivateIPAddress: settings.allowPrivate, lookup: this.lookUp };
    this.agents = { http: new RequestFilteringHttpAgent(options), https: new RequestFilteringHttpsAgent(options) };
  }

  async send(url: string, headers: Record<string, string>, body: string, signal: AbortSignal): Promise<SendResult> {
    const isSecure = url.startsWith('https:');
    const request = isSecure ? requestSecurely : requestPlainly;
    const agent = isSecure ? this.agents.https : this.agents.http;
    const own = { 'user-agent': 'booking-service', 'content-length': Buffer.byteLength(body) };
    const options = { method: 'POST', headers: { ...headers, ...own }, agent, signal };
    let outgoing: ClientRequest | undefined;
    const open = (): ClientRequest => {
      outgoing = request(url, options).on('error', () => {});
      return outgoing.end(body);
    };
    const { timeout } = this.settings;
    const timer = setTimeout(() => outgoing?.destroy(new Timeout(`no response within ${timeout} ms`)), timeout);
    try {
      const response = await responseOfOpenConnection(open);
      discardBody(response);
      const retryAfter = retryAfterOf(response.headers['retry-after'] ?? '0');
      return { outcome: outcomeOf(response.statusCode!), reason: String(response.statusCode), retryAfter };
    } catch (error) {
      return failureOf(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Shares lookups in progress: while a name server does not respond, each lookup holds a thread of the process. */
  private readonly lookUp: LookupFunction = (hostname, options, callback) => {
    const waiting = this.lookups.get(hostname) ?? [];
    waiting.push(callback);
    if (waiting.length > 1) return;
    this.lookups.set(hostname, waiting);
    const { lookup = lookUpName } = this.settings;
    lookup(hostname, options, (...result) => {
      this.lookups.delete(hostname);
      for (const resolve of waiting) resolve(...result);
    });
  };

  close(): void {
    this.agents.http.destroy();
    this.agents.https.destroy();
  }
}

const CLOSED_BY_PEER = new Set(['ECONNRESET', 'EPIPE']);

class Timeout extends Error {}

/** Sends a request again while it meets kept connections: a receiver may close one just when it is used again. */
async function responseOfOpenConnection(open: () => ClientRequest): Promise<IncomingMessage> {
  for (;;) {
    const outgoing = open();
    try {
      return await responseTo(outgoing);
    } catch (error) {
      const isStale = outgoing.reusedSocket && CLOSED_BY_PEER.has((error as NodeJS.ErrnoException).code ?? '');
      if (!isStale) throw error;
    }
  }
}

/** @throws Error if the connection fails or ends without a response */
function responseTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject);
    // The receiver responded 101, though no upgrade was requested.
    outgoing.once('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response);
    });
    outgoing.once('close', () => reject(new Error('the connection ended without a response')));
  });
}

function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return 'delivered';
  return status === 410 ? 'gone' : 'retry';
}

function failureOf(error: unknown): SendResult {
  const { message, code } = error as NodeJS.ErrnoException;
  if (error instanceof Timeout) return { outcome: 'timeout', reason: message, retryAfter: 0 };
  const address = PRIVATE_ADDRESS.exec(message)?.groups?.['address'];
  if (address === undefined) return { outcome: 'unreachable', reason: code ?? message, retryAfter: 0 };
  return { outcome: 'private_address', reason: `${address} is not a public address`, retryAfter: 0 };
}

/** Reads a body, so that the connection can be reused; closes the connection if the body is too long or too slow. */
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

/** Converts a number of seconds or an HTTP date (RFC 9110 §10.2.3) to milliseconds from now; 0 for anything else. */
function retryAfterOf(header: string): number {
  const wait = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Math.min(Math.max(0, wait || 0), MAX_RETRY_AFTER);
}
