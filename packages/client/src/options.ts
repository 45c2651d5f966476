import type { Hooks } from './hooks.js';
import type { Booking } from './responses.js';

export type Token = string | (() => string | Promise<string>);

export type HeadersOption = Headers | Record<string, string>;

export interface ClientOptions {
  /**
   * Where the service is: an absolute http or https URL, with a path prefix if it has one. A trailing
   * slash makes no difference. No credentials, no query, no fragment.
   */
  baseUrl: string | URL;
  /** Sends the requests. Must obey `signal` and `redirect`, as the platform's `fetch` does, which is the default. */
  fetch?: typeof globalThis.fetch | undefined;
  /**
   * The bearer token (RFC 6750) for every request, where the service requires one. A function is called for
   * every attempt. Where the service rejects its token as unauthenticated, the function is called once more, and the
   * attempt is repeated if it returns another token.
   */
  token?: Token | undefined;
  /**
   * Headers for every request. A function is called for every attempt. Headers of a call win over these, and
   * headers that the client sets itself, `authorization` with a `token` among them, over both.
   */
  headers?: HeadersOption | (() => HeadersOption | Promise<HeadersOption>) | undefined;
  /** Milliseconds each attempt may take until its response is read: 1 to 2147483647, default 10000. */
  timeout?: number | undefined;
  /** Attempts after the first, at most: 0 or more, default 3. */
  maxRetries?: number | undefined;
  hooks?: Hooks | undefined;
}

/** What any call takes as its last argument. */
export interface CallOptions {
  /** Headers of this call alone. They win over those of the client. */
  headers?: HeadersOption | undefined;
  /** Ends the call at once, also between two attempts and during a hook; it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Milliseconds, in place of the client's `timeout`. */
  timeout?: number | undefined;
  /** In place of the client's `maxRetries`. */
  maxRetries?: number | undefined;
}

export interface CreateOptions extends CallOptions {
  /**
   * Names this creation: calls with one key and one payload make one booking between them. 1 to 255 visible
   * ASCII characters without `"` and `\`. The default is a new random key for each call.
   */
  idempotencyKey?: string | undefined;
}

export interface GetOptions<Details extends object = Record<string, unknown>> extends CallOptions {
  /**
   * The same booking as this client returned it from `create` or `get`. If it still is the current one, the
   * service does not send it again and the call returns this very object. Any other object has no effect.
   */
  known?: Booking<Details> | undefined;
}

/** The options by where they are given; the types hold the lists to the interfaces. */
const callOptions = ['headers', 'signal', 'timeout', 'maxRetries'] as const satisfies (keyof CallOptions)[];
export const optionNames = {
  client: ['baseUrl', 'fetch', 'token', 'headers', 'timeout', 'maxRetries', 'hooks'],
  call: callOptions,
  create: [...callOptions, 'idempotencyKey'],
  get: [...callOptions, 'known'],
} as const satisfies {
  client: (keyof ClientOptions)[];
  call: (keyof CallOptions)[];
  create: (keyof CreateOptions)[];
  get: (keyof GetOptions)[];
};
export const hookNames = ['beforeRequest', 'afterResponse', 'beforeRetry'] as const satisfies (keyof Hooks)[];

/** @throws TypeError when there is an option other than those named, which would have no effect */
export function expectKnown(options: object, names: readonly string[], prefix = ''): void {
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(`There is no option ${prefix}${unknown}: the options are ${names.join(', ')}`);
}

export interface Limits {
  timeout: number;
  maxRetries: number;
}

/** Longer than this, and timers fire at once. */
const MAX_TIMEOUT = 2_147_483_647;

/** @throws TypeError when a number is out of its range */
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

/**
 * A token that fits into the header.
 *
 * @throws TypeError, which does not show it, when it is anything else than RFC 6750 §2.1 allows
 */
export function checkedToken(token: string): string {
  // What `Headers` says of a bad value shows the value.
  if (typeof token === 'string' && /^[A-Za-z0-9._~+/-]+=*$/.test(token)) return token;
  throw new TypeError('token must be a bearer token: letters, digits and -._~+/ alone, then perhaps =');
}

/**
 * The base URL without its trailing slash, ready to be followed by a path.
 *
 * @throws TypeError when it is not as {@link ClientOptions.baseUrl} says
 */
export function baseUrlFrom(baseUrl: string | URL): string {
  try {
    const { protocol, username, password, search, hash, origin, pathname } = new URL(baseUrl);
    if (/^https?:$/.test(protocol) && username + password + search + hash === '') {
      return origin + pathname.replace(/\/+$/, '');
    }
  } catch {
    // Reported below. URL.canParse would need Safari 17.
  }
  throw new TypeError('baseUrl must be an absolute http or https URL without credentials, query or fragment');
}
