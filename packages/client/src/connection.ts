import { withDeadline } from './deadline.js';
import { ConnectionError, TimeoutError } from './errors.js';
import {
  baseUrlFrom,
  type CallOptions,
  checkedToken,
  type ClientOptions,
  expectKnown,
  type HeadersOption,
  type Limits,
  limitsFrom,
  optionNames,
} from './options.js';
import { receive, type ReceivedResponse } from './received-response.js';
import { toProblemError } from './responses.js';
import { reasonOf, withRetries } from './retry.js';

export interface ServiceRequest {
  method: string;
  /** The path below the base URL, with the query. */
  path: string;
  headers?: Record<string, string>;
  body?: string | undefined;
}

/** One attempt of a call. */
interface Attempt {
  request: ServiceRequest;
  url: string;
  /** The `headers` option of the call. */
  headers: HeadersOption | undefined;
  signal: AbortSignal;
}

/** Whether to send a `User-Agent`, as in Node, Bun and Deno. Browsers send their own; overriding it would need CORS. */
const RUNS_IN_NODE =
  (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node !== undefined;

const DEFAULTS: Limits = { timeout: 10_000, maxRetries: 3 };

/** Sends requests to one service and returns complete responses. */
export class Connection {
  readonly #baseUrl: string;
  readonly #fetch: typeof globalThis.fetch;
  readonly #token: ClientOptions['token'];
  readonly #headers: NonNullable<ClientOptions['headers']>;
  readonly #limits: Limits;

  constructor(options: ClientOptions) {
    this.#baseUrl = baseUrlFrom(options?.baseUrl);
    expectKnown(options, optionNames.client);
    this.#fetch = options.fetch ?? globalThis.fetch;
    if (typeof this.#fetch !== 'function') throw new TypeError('fetch must be a function');
    const { token } = options;
    this.#token = token === undefined || typeof token === 'function' ? token : checkedToken(token);
    this.#headers = options.headers ?? {};
    this.#limits = limitsFrom(options, DEFAULTS);
  }

  /**
   * @returns a response with a status below 400
   * @throws ProblemError, ConnectionError, TimeoutError or UnexpectedResponseError of the last attempt
   * @throws the reason of `options.signal` as soon as it aborts
   */
  async send(request: ServiceRequest, options: CallOptions): Promise<ReceivedResponse> {
    const { timeout, maxRetries } = limitsFrom(options, this.#limits);
    const { signal, headers } = options;
    const { method } = request;
    const url = this.#baseUrl + request.path;
    const expired = () =>
      new TimeoutError(
        `${method} ${url} got no response within ${timeout} ms. Try again, or allow more with \`timeout\`.`,
      );
    const sendOnce = async () => {
      const response = await withDeadline(timeout, signal, expired, (ending) =>
        this.#authorized({ request, url, headers, signal: ending }),
      );
      if (response.status >= 400) throw toProblemError(response, url);
      return response;
    };
    return withRetries({ maxRetries, signal }, sendOnce);
  }

  /** Sends a request with the current token, and again after a 401 if there is a new token. */
  async #authorized(attempt: Attempt): Promise<ReceivedResponse> {
    const token = await this.#nextToken();
    const response = await this.#exchange(attempt, token);
    if (response.status !== 401 || typeof this.#token !== 'function') return response;
    // The token may have expired on the way. A 401 means that nothing was done, so the request can be repeated.
    const fresh = await this.#nextToken();
    return fresh === token ? response : this.#exchange(attempt, fresh);
  }

  async #nextToken(): Promise<string | undefined> {
    return typeof this.#token === 'function' ? checkedToken(await this.#token()) : this.#token;
  }

  async #exchange(attempt: Attempt, token: string | undefined): Promise<ReceivedResponse> {
    const { request, url, signal } = attempt;
    const { method, body = null } = request;
    const headers = await this.#headersFor(attempt, token);
    // Browsers throw if `fetch` is called as a method of anything but `window`.
    const fetch = this.#fetch;
    // Redirects are not followed: one could send headers and payload to another origin. The call is outside the `try`,
    // since a synchronous throw is not a network failure.
    const sent = fetch(url, { method, headers, body, signal, redirect: 'manual' });
    const arrival = async <Part>(part: Promise<Part>): Promise<Part> => {
      try {
        return await part;
      } catch (cause) {
        throw new ConnectionError(
          `${method} ${url} got no complete response (${reasonOf(cause)}). Check baseUrl, the service and CORS.`,
          { cause },
        );
      }
    };
    return receive(await arrival(sent), arrival);
  }

  async #headersFor({ request, headers: ofCall }: Attempt, token: string | undefined): Promise<Headers> {
    // SvelteKit reuses a server's response in the browser if both sent the same headers to its `fetch`.
    const isNamed = RUNS_IN_NODE && this.#fetch === globalThis.fetch;
    const headers = new Headers(isNamed ? { 'user-agent': 'booking-service-client' } : {});
    const set = (more: HeadersOption = {}) => new Headers(more).forEach((value, name) => headers.set(name, value));
    set(typeof this.#headers === 'function' ? await this.#headers() : this.#headers);
    set(ofCall);
    headers.set('accept', 'application/json, application/problem+json');
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    if (request.body !== undefined) headers.set('content-type', 'application/json');
    set(request.headers);
    return headers;
  }
}
