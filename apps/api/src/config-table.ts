import { getHeapStatistics } from 'node:v8';
import { resourceIdSchema } from '@booking-service/contracts';
import { asksForTheWriter, hostsOf } from './database/hosts.js';
import { isHttpsOrLoopback, isSigningAlgorithm, signingAlgorithms } from './auth/auth-settings.js';
import { flag, listOf, oneOf, optional, text, variable, wholeNumber } from './config-variable.js';
import { logFormats, logLevels } from './observability/logger.js';
import { loggedRefusals } from './observability/refusal-lines.js';

/** One eighth of the heap, and no more than a quarter of a GiB. */
const UNSENT_MIB = Math.max(1, Math.min(256, Math.floor(getHeapStatistics().heap_size_limit / 2 ** 20 / 8)));

const databaseUrl = text(
  '`postgres://user:password@host:5432/database`, several hosts with commas',
  (url) => hostsOf(url).length > 0 && asksForTheWriter(url),
  'must be a URL as in postgres://user:password@host:5432/database, with no other target_session_attrs than read-write',
);
const readUrl = text(
  'as `DATABASE_URL`; any of the hosts will do',
  (url) => hostsOf(url).length > 0,
  'must be a URL as in postgres://user:password@host:5432/database',
);
const issuer = text(
  'a URL with `https`, or with `http` on this machine; no query',
  (url) => isHttpsOrLoopback(url) && !/[?#]/.test(url),
  'must be a URL with https, or with http on this machine, without query and fragment',
);
const issuerKeys = text(
  'a URL with `https`, or with `http` on this machine',
  isHttpsOrLoopback,
  'must be a URL with https, or with http on this machine',
);
const algorithms = listOf(
  `some of ${signingAlgorithms.join(', ')}, with commas`,
  isSigningAlgorithm,
  `must list some of ${signingAlgorithms.join(', ')}`,
);
const origins = listOf(
  'origins as in `https://app.example`, with commas; no `*`',
  isOrigin,
  'must list origins as in https://app.example, without a path',
);
const resources = listOf(
  'names of resources, with commas',
  (text): text is string => resourceIdSchema.safeParse(text).success,
  'must list names of 1 to 200 characters without control characters',
);

const stores = ['memory', 'postgres'] as const;

/** Every variable that the service reads, those of OpenTelemetry apart. `docs/configuration.md` has the same table. */
export const variables = {
  PORT: variable(wholeNumber(0, 65_535), '3000', 'port; 0 takes any free one, which the start prints'),
  HOST: variable(text('an address or a name of this host'), '127.0.0.1', 'address; `0.0.0.0` or `::` for all of them'),
  NODE_ENV: optional(text('any text'), '`production` warns of bookings in memory that `STORE` does not ask for'),
  STORE: optional(
    oneOf(stores),
    'where bookings are kept; with `postgres` a missing `DATABASE_URL` is a fault',
    'postgres with `DATABASE_URL`, else memory',
  ),
  MEMORY_MAX_BOOKINGS: variable(
    wholeNumber(1, 16_000_000),
    '1000000',
    'bookings that the in-memory store keeps; it rejects creates beyond them',
  ),
  BOOKING_SCHEMA_FILE: optional(text('path of a JSON Schema'), 'what creates have to match beside the interface'),
  DATABASE_URL: optional(
    databaseUrl,
    'where bookings are kept; not set: in memory. Options of `pg` go in its query, as in `?sslmode=verify-full`',
  ),
  DATABASE_READ_URL: optional(
    readUrl,
    'standbys that gets are tried on first, over as many connections as there are for reads; what they lack is asked of `DATABASE_URL`',
  ),
  DATABASE_POOL_SIZE: variable(
    wholeNumber(2, 1_000),
    '10',
    'connections of one replica, at most; up to four of them are for creates',
  ),
  DATABASE_CONNECT_TIMEOUT_MS: variable(
    wholeNumber(1, 60_000),
    '2000',
    'milliseconds to wait for a new connection, and for a free one of the pool',
  ),
  DATABASE_STATEMENT_TIMEOUT_MS: variable(
    wholeNumber(1, 60_000),
    '2500',
    'milliseconds that one statement may take, its result included',
  ),
  DATABASE_MIGRATE_AT_START: variable(flag(), 'true', 'whether the start updates the schema, or only checks it'),
  SWAGGER_UI: variable(flag(), 'true', 'whether Swagger UI is at `/docs`; `/openapi.json` stays'),
  TIMETABLE: variable(flag(), 'true', 'whether the timetable is at `/timetable`, and `/` leads browsers there'),
  TIMETABLE_RESOURCES: optional(resources, 'resources that the timetable shows before anybody has booked them'),
  LOG_LEVEL: variable(oneOf(logLevels), 'info', 'lowest level that is logged'),
  LOG_FORMAT: optional(oneOf(logFormats), 'format of the lines', '`pretty` in a terminal, else `json`'),
  ACCESS_LOG: variable(flag(), 'false', 'whether every request gets a line'),
  LOG_REFUSALS: variable(
    oneOf(loggedRefusals),
    'some',
    'which refused requests get a line: with `some`, 20 of each problem in ten seconds',
  ),
  SLOW_REQUEST_MS: variable(wholeNumber(1, 600_000), '1000', 'milliseconds from which a completed request gets a line'),
  SHUTDOWN_DELAY_MS: variable(
    wholeNumber(0, 600_000),
    '0',
    'milliseconds for which new connections are accepted after a signal, while `/health/ready` is 503',
  ),
  SHUTDOWN_TIMEOUT_MS: variable(
    wholeNumber(1, 600_000),
    '10000',
    'milliseconds that requests in flight may take after that',
  ),
  AUTH_API_KEYS_FILE: optional(text('path of a file'), 'API keys that are accepted'),
  AUTH_OIDC_ISSUER: optional(issuer, 'OpenID Connect issuer whose tokens are accepted; `iss`, character by character'),
  AUTH_OIDC_AUDIENCE: optional(
    text('any text; required with an issuer'),
    'what `aud` of a token has to be, or to contain',
  ),
  AUTH_OIDC_JWKS_URI: optional(issuerKeys, "where the issuer's keys are", "by the issuer's metadata"),
  AUTH_OIDC_ALGORITHMS: variable(
    algorithms,
    'RS256, PS256, ES256, EdDSA, Ed25519',
    'algorithms that a token may be signed with',
  ),
  CORS_ORIGINS: optional(origins, 'origins whose pages may use the service in a browser'),
  HEADERS_TIMEOUT_MS: variable(
    wholeNumber(100, 600_000),
    '10000',
    'milliseconds until the headers of a request are read; not above `REQUEST_TIMEOUT_MS`',
  ),
  REQUEST_TIMEOUT_MS: variable(wholeNumber(100, 600_000), '15000', 'milliseconds until a whole request is read'),
  RESPONSE_TIMEOUT_MS: variable(
    wholeNumber(100, 600_000),
    '30000',
    'milliseconds without progress after which a client that does not read its response is disconnected',
  ),
  KEEP_ALIVE_TIMEOUT_MS: variable(
    wholeNumber(100, 600_000),
    '5000',
    'milliseconds that an idle connection waits for its next request; 65000 behind a load balancer',
  ),
  MAX_CONNECTIONS: variable(wholeNumber(1, 1_000_000), '2000', 'open connections; further ones are closed at once'),
  MAX_UNSENT_MIB: variable(
    wholeNumber(1, 65_536),
    String(UNSENT_MIB),
    'MiB of responses that may wait to be sent, over all connections',
    "an eighth of Node's heap limit, at most 256",
  ),
  RATE_LIMIT: optional(wholeNumber(1, 1_000_000), 'requests under `/v1` that a caller has in a window', 'no limit'),
  RATE_LIMIT_WINDOW_SECONDS: variable(
    wholeNumber(1, 86_400),
    '60',
    "seconds of the window, which begins with a caller's first request",
  ),
  WEBHOOKS_FILE: optional(text('path of a file'), 'endpoints that are told of every booking; nobody is without it'),
  WEBHOOKS_SOURCE: variable(
    text('a URI reference', isUriReference, 'must be a URI reference, as in /v1/bookings'),
    '/v1/bookings',
    '`source` of every event',
  ),
  WEBHOOKS_ALLOW_PRIVATE: variable(
    flag(),
    'false',
    'whether endpoints may have `http` and addresses that are not public; else neither is used',
  ),
  WEBHOOKS_TIMEOUT_MS: variable(
    wholeNumber(100, 60_000),
    '10000',
    'milliseconds that an endpoint has for the head of its response',
  ),
  TRUST_PROXY: variable(
    wholeNumber(0, 10),
    '0',
    'proxies before the service that each append the address they saw to `X-Forwarded-For`',
  ),
};

/** Whether a text is a URI or a path of one, in the characters that it may have (RFC 3986 §4.1). */
function isUriReference(text: string): boolean {
  return /^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/.test(text) && URL.canParse(text, 'http://localhost');
}

/** Whether a text is one origin as browsers write it (RFC 6454 §6.2). A `*` could be the name of a host. */
function isOrigin(text: string): text is string {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
