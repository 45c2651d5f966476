import { type ReceivedResponse, toProblemError } from './responses.js';
import { withDeadline } from './deadline.js';
import { ConnectionError, TimeoutError } from './errors.js';
import { baseUrlFrom, type CallOptions, checkedToken, type ClientOptions, type Limits, limitsFrom } from './options.js';
import { withRetries } from './retry.js';

/** A request of the client, the same for each of its attempts. */
export interface Call {
  method: string;
  /** From the root of the service, with the query if there is one. */
  path: string;
  headers?: Record<string, string>;
  /** JSON. */
  body?: string | undefined;
}

const DEFAULTS: Limits = { timeout: 10_000, maxRetries: 3 };

/** Sends calls to one service and brings back responses that have arrived as a whole. */
export class Connection {
  readonly #baseUrl: string;
  readonly #fetch: typeof globalThis.fetch;
  readonly #token: ClientOptions['token'];
  readonly #headers: NonNullable<ClientOptions['headers']>;
  readonly #limits: Limits;

  /** @throws TypeError when an option is not as {@link ClientOptions} says */
  constructor(options: ClientOptions) {
    this.#baseUrl = baseUrlFrom(options.baseUrl);
    this.#fetch = options.fetch ?? globalThis.fetch;
    const { token } = options;
    this.#token = token === undefined || typeof token === 'function' ? token : checkedToken(token);
    this.#headers = options.headers ?? {};
    this.#limits = limitsFrom(options, DEFAULTS);
  }

  /**
   * @returns a response of a status below 400
   * @throws ProblemError, ConnectionError or TimeoutError of the last attempt
   * @throws the reason of `options.signal`, at once when it aborts
   */
  async send(call: Call, options: CallOptions): Promise<ReceivedResponse> {
    const { timeout, maxRetries } = limitsFrom(options, this.#limits);
    const url = this.#baseUrl + call.path;
    const expired = () =>
      new TimeoutError(
        `${call.method} ${url} got no response within ${timeout} ms. Try again, or allow more with \`timeout\`.`,
      );
    return withRetries(maxRetries, options.signal, async () => {
      const response = await withDeadline(timeout, options.signal, expired, (signal) =>
        this.#attempt(call, url, signal),
      );
      if (response.status >= 400) throw toProblemError(response, url);
      return response;
    });
  }

  async #attempt(call: Call, url: string, signal: AbortSignal): Promise<ReceivedResponse> {
    const token = await this.#nextToken();
    const response = await this.#exchange(call, url, token, signal);
    if (response.status !== 401 || typeof this.#token !== 'function') return response;
    // Refused before anything was done: a token may have ended on its way.
    const fresh = await this.#nextToken();
    return fresh === token ? response : this.#exchange(call, url, fresh, signal);
  }

  async #nextToken(): Promise<string | undefined> {
    return typeof this.#token === 'function' ? checkedToken(await this.#token()) : this.#token;
  }

  async #exchange(call: Call, url: string, token: string | undefined, signal: AbortSignal): Promise<ReceivedResponse> {
    const headers = await this.#headersFor(call, token);
    // Browsers refuse a fetch that is called as a method of anything but the window.
    const fetch = this.#fetch;
    try {
      // No operation redirects. `fetch` would take headers and payload to any origin, and a POST as a GET.
      const init: RequestInit = { method: call.method, headers, body: call.body ?? null, redirect: 'manual', signal };
      const response = await fetch(url, init);
      const { status, statusText } = response;
      return { status, statusText, headers: response.headers, body: await response.text() };
    } catch (cause) {
      throw new ConnectionError(
        `${call.method} ${url} got no complete response. Check that baseUrl is right and the service is up; \`cause\` says more.`,
        { cause },
      );
    }
  }

  async #headersFor(call: Call, token: string | undefined): Promise<Headers> {
    const headers = new Headers(typeof this.#headers === 'function' ? await this.#headers() : this.#headers);
    headers.set('accept', 'application/json, application/problem+json');
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    if (call.body !== undefined) headers.set('content-type', 'application/json');
    for (const [name, value] of Object.entries(call.headers ?? {})) headers.set(name, value);
    return headers;
  }
}
