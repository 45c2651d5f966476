import type { Booking, BookingPage } from './responses.js';

export type Token = string | (() => string | Promise<string>);

export type HeadersOption = Headers | Record<string, string>;

export interface ClientOptions {
  /** An absolute http or https URL, optionally with a path prefix, but without credentials, query or fragment. */
  baseUrl: string | URL;
  /** A replacement for the platform's `fetch`, called for every request. It must honour `signal` and `redirect`. */
  fetch?: typeof globalThis.fetch | undefined;
  /**
   * The bearer token (RFC 6750) of every request. A function is called for every attempt, and once more after a 401: if
   * it returns another token, the request is sent again at once.
   */
  token?: Token | undefined;
  /**
   * Headers of every request, or a function that is called for each request. Headers of a call override them, and so do
   * those that the client sets itself, except `user-agent`.
   */
  headers?: HeadersOption | (() => HeadersOption | Promise<HeadersOption>) | undefined;
  /** Milliseconds for an attempt, including its response: 1 to 2147483647, default 10000. */
  timeout?: number | undefined;
  /** Maximum attempts after the first: 0 or more, default 3. */
  maxRetries?: number | undefined;
}

export interface CallOptions {
  /** Headers of this call. Headers that the client sets itself override them, except `user-agent`. */
  headers?: HeadersOption | undefined;
  /** An abort ends the call at once with the signal's reason, even between two attempts. */
  signal?: AbortSignal | undefined;
  /** Overrides the client's `timeout`. */
  timeout?: number | undefined;
  /** Overrides the client's `maxRetries`. */
  maxRetries?: number | undefined;
}

export interface CreateOptions extends CallOptions {
  /**
   * A key of 1 to 255 visible ASCII characters without `"` and `\`, random by default. Calls with the same key and the
   * same payload make only one booking.
   */
  idempotencyKey?: string | undefined;
}

export interface GetOptions<Details extends object = Record<string, unknown>> extends CallOptions {
  /**
   * A booking with this id that `create` or `get` of this client returned; other objects have no effect. After a 304,
   * this object is the result.
   */
  known?: Booking<Details> | undefined;
}

export interface ListOptions<Details extends object = Record<string, unknown>> extends CallOptions {
  /**
   * A page that `list` of this client returned for the same query; other objects have no effect. After a 304, this
   * object is the result.
   */
  known?: BookingPage<Details> | undefined;
}

const callOptions = ['headers', 'signal', 'timeout', 'maxRetries'] as const satisfies (keyof CallOptions)[];
export const optionNames = {
  client: ['baseUrl', 'fetch', 'token', 'headers', 'timeout', 'maxRetries'],
  list: [...callOptions, 'known'],
  create: [...callOptions, 'idempotencyKey'],
  get: [...callOptions, 'known'],
} as const satisfies {
  client: (keyof ClientOptions)[];
  list: (keyof ListOptions)[];
  create: (keyof CreateOptions)[];
  get: (keyof GetOptions)[];
};

/** @throws TypeError for an unknown option */
export function expectKnown(options: object, names: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(`There is no option ${unknown}: the options are ${names.join(', ')}`);
}

export interface Limits {
  timeout: number;
  maxRetries: number;
}

/** The longest timer in milliseconds: longer ones fire at once. */
const MAX_TIMEOUT = 2_147_483_647;

/** @throws TypeError for a number out of range */
export function limitsFrom(options: Pick<CallOptions, keyof Limits>, defaults: Limits): Limits {
  const { timeout = defaults.timeout, maxRetries = defaults.maxRetries } = options;
  if (!(timeout >= 1 && timeout <= MAX_TIMEOUT)) {
    throw new TypeError(`timeout is ${timeout}: give milliseconds from 1 to ${MAX_TIMEOUT}`);
  }
  if (!(Number.isInteger(maxRetries) && maxRetries >= 0)) {
    throw new TypeError(`maxRetries is ${maxRetries}: give a whole number from 0`);
  }
  return { timeout, maxRetries };
}

/** @throws TypeError, which does not contain the token, unless the token has the syntax of RFC 6750 §2.1 */
export function checkedToken(token: string): string {
  // An error from `Headers` would contain the token.
  if (typeof token === 'string' && /^[A-Za-z0-9._~+/-]+=*$/.test(token)) return token;
  throw new TypeError('token must be a bearer token: letters, digits and -._~+/, then optionally =');
}

/** The base URL without trailing slashes. @throws TypeError unless it is as {@link ClientOptions.baseUrl} says */
export function baseUrlFrom(baseUrl: string | URL): string {
  try {
    const { protocol, username, password, search, hash, origin, pathname } = new URL(baseUrl);
    if (/^https?:$/.test(protocol) && username + password + search + hash === '') {
      return origin + pathname.replace(/\/+$/, '');
    }
  } catch {
    // The error is thrown below. `URL.canParse`, which needs no `catch`, would need Safari 17.
  }
  throw new TypeError('baseUrl must be an absolute http or https URL without credentials, query or fragment');
}
