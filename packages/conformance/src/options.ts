import { type Level, levels } from './check.js';
import { type EventsOptions, keyOf } from './events-receiver.js';
import type { ReceivedResponse } from './exchange.js';
import type { CheckResult } from './result.js';

export interface ConformanceOptions {
  /** An absolute http or https URL, optionally with a path, but without credentials, query or fragment. */
  url: string | URL;
  /** The highest level to check. Default: `events` with the option `events`, otherwise `concurrency`. */
  level?: Level | undefined;
  /** Whether to send only GET, HEAD and OPTIONS, and skip checks that need other methods. */
  readOnly?: boolean | undefined;
  /** Whether to check the time limits too, which takes 16 s. */
  slow?: boolean | undefined;
  /** Headers of every request, such as `authorization`. No report contains them. */
  headers?: Readonly<Record<string, string>> | undefined;
  /**
   * A payload that the deployment's schema accepts. Its members, except `slot`, are added to payloads of up to 60,000
   * bytes that lack them. A check whose payload the schema still rejects is skipped.
   */
  payload?: object | undefined;
  /** The endpoint at which the run receives events, for the level `events`. */
  events?: EventsOptions | undefined;
  /** Milliseconds to wait for a response, or for all events: 1 to 600000, default 10000. */
  timeout?: number | undefined;
  /** Called with each complete response, except to requests that are sent as raw bytes. */
  onResponse?: ((response: ReceivedResponse) => void) | undefined;
  /** Called with each result in the order of the report, as soon as it and all before it are known. */
  onResult?: ((result: CheckResult) => void) | undefined;
}

type Defaulted = 'level' | 'readOnly' | 'slow' | 'headers' | 'timeout' | 'onResponse' | 'onResult';

/** The options with their defaults, and `headers` by name in lower case. */
export type Settings = ConformanceOptions & { readonly url: URL } & {
  readonly [Name in Defaulted]-?: NonNullable<ConformanceOptions[Name]>;
};

const MAX_TIMEOUT = 600_000;

/** @throws TypeError if an option is invalid */
export function settingsFrom(options: ConformanceOptions): Settings {
  const { payload, events, timeout = 10_000, headers = {} } = options;
  const { level = events === undefined ? 'concurrency' : 'events' } = options;
  if (!levels.includes(level)) throw new TypeError(`the level is ${level}: give one of ${levels.join(', ')}`);
  if (!(timeout >= 1 && timeout <= MAX_TIMEOUT)) {
    throw new TypeError(`the timeout is ${timeout}: give milliseconds from 1 to ${MAX_TIMEOUT}`);
  }
  if (level === 'events' && events === undefined) {
    throw new TypeError('the level is events: give an endpoint (--events-port and --events-secret)');
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
  keyOf(secret);
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
