import { type Level, levels } from './check.js';
import type { EventsOptions } from './events-receiver.js';
import type { ReceivedResponse } from './exchange.js';
import type { CheckResult } from './result.js';

export interface ConformanceOptions {
  /**
   * Where the service is: an absolute http or https URL, with a path prefix if it has one. No credentials,
   * no query, no fragment.
   */
  url: string | URL;
  /** How much is checked; each level includes the ones before it. The default is `events` where `events` are received, else `concurrency`. */
  level?: Level | undefined;
  /** Sends nothing but GET, HEAD and OPTIONS, and so makes nothing. What cannot be seen so is skipped. */
  readOnly?: boolean | undefined;
  /** Also checks the time limits, which takes 16 s. */
  slow?: boolean | undefined;
  /** Headers for every request, such as `authorization`. They are in no report. */
  headers?: Readonly<Record<string, string>> | undefined;
  /**
   * A payload that the service's own schema takes, where it has one. Its members, but for a `slot`, go into every
   * payload that does not have them. A check whose payload the schema rejects even so is skipped.
   */
  payload?: object | undefined;
  /** Where this run receives the events of the service, for the level `events`. */
  events?: EventsOptions | undefined;
  /** Milliseconds that a response, or an event, may take: 1 to 600000, default 10000. */
  timeout?: number | undefined;
  /** Called with each response that is read to its end, of a check or before the first. */
  onResponse?: ((response: ReceivedResponse) => void) | undefined;
  /** Called with each result as it comes, in the order of the report. */
  onResult?: ((result: CheckResult) => void) | undefined;
}

type Defaulted = 'level' | 'readOnly' | 'slow' | 'headers' | 'timeout' | 'onResponse' | 'onResult';

/** The options with their defaults; `headers` are by name in lower case. */
export type Settings = ConformanceOptions & { readonly url: URL } & {
  readonly [Name in Defaulted]-?: NonNullable<ConformanceOptions[Name]>;
};

const MAX_TIMEOUT = 600_000;

/** @throws TypeError when an option is not as {@link ConformanceOptions} says */
export function settingsFrom(options: ConformanceOptions): Settings {
  const { payload, events, timeout = 10_000, headers = {} } = options;
  const { level = events === undefined ? 'concurrency' : 'events' } = options;
  if (!levels.includes(level)) throw new TypeError(`the level is ${level}: give one of ${levels.join(', ')}`);
  if (!(timeout >= 1 && timeout <= MAX_TIMEOUT)) {
    throw new TypeError(`the timeout is ${timeout}: give milliseconds from 1 to ${MAX_TIMEOUT}`);
  }
  if (level === 'events' && events === undefined) {
    throw new TypeError('the level is events: say where they are received (--events-port and --events-secret)');
  }
  if (events !== undefined) expectEvents(events);
  if (payload !== undefined && (typeof payload !== 'object' || payload === null || Array.isArray(payload))) {
    throw new TypeError('the payload is not a JSON object');
  }
  return {
    url: urlFrom(options.url),
    level,
    readOnly: options.readOnly ?? false,
    slow: options.slow ?? false,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    payload,
    events,
    timeout,
    onResponse: options.onResponse ?? (() => {}),
    onResult: options.onResult ?? (() => {}),
  };
}

function expectEvents({ port, secret }: EventsOptions): void {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new TypeError(`the port of events is ${port}: give one from 1 to 65535`);
  }
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const { length } = Buffer.from(base64, 'base64');
  // Without the secret itself.
  if (length < 24 || length > 64)
    throw new TypeError('the secret of events is not whsec_ and the Base64 of 24 to 64 bytes');
}

function urlFrom(given: string | URL): URL {
  const url = URL.canParse(String(given)) ? new URL(given) : undefined;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url === undefined || !isHttp || url.username + url.password + url.search + url.hash !== '') {
    throw new TypeError(
      `the URL is ${String(given)}: give an absolute http or https URL without credentials, query or fragment`,
    );
  }
  return url;
}
