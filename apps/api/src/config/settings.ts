import { getHeapStatistics } from 'node:v8';
import { resourceIdSchema } from '@booking-service/contracts';
import { z } from 'zod';
import { isHttpsOrLoopback, scopeClaims, signingAlgorithms } from '../features/auth/auth-settings.js';
import { logFormats, logLevels } from '../platform/observability/logger.js';
import { connectionStringFault } from './connection-string.js';
import { Group, number, onOrOff, Setting } from './setting.js';
import { isOrigin, listOf, oneOf, someOf, text, wholeNumber } from './variable-types.js';

/** Default of MAX_UNSENT_MIB: an eighth of Node's heap limit, but at least 1 MiB and at most 256 MiB. */
const UNSENT_MIB = Math.max(1, Math.min(256, Math.floor(getHeapStatistics().heap_size_limit / 2 ** 20 / 8)));

const database = new Group('url', {
  url: new Setting(
    'DATABASE_URL',
    'where bookings are kept, if not in memory',
    text('`postgres://user:password@host:5432/database`, of one host').refine(
      (url) => connectionStringFault(url) === undefined,
      { error: ({ input }) => connectionStringFault(input as string) },
    ),
  ),
  poolSize: number('DATABASE_POOL_SIZE', 'connections of one replica', [2, 1_000], 6),
  connectTimeout: number('DATABASE_CONNECT_TIMEOUT_MS', 'milliseconds to wait for a connection', [1, 60_000], 2_000),
  statementTimeout: number(
    'DATABASE_STATEMENT_TIMEOUT_MS',
    'milliseconds that a statement may take',
    [1, 60_000],
    2_500,
  ),
  migrateAtStart: onOrOff('DATABASE_MIGRATE_AT_START', 'whether a start migrates the schema', true),
});

const oidc = new Group('issuer', {
  issuer: new Setting(
    'AUTH_OIDC_ISSUER',
    '`iss` of accepted tokens',
    text('a URL with `https`, or with `http` on this machine; no user, no query').refine(
      (url) => isHttpsOrLoopback(url) && !/[?#]|\/\.well-known\//.test(url),
      {
        error:
          'must be a URL with https, or with http on this machine, without user, query, fragment and /.well-known/',
      },
    ),
  ),
  // Without an audience, tokens for the issuer's other services would be accepted.
  audience: new Setting(
    'AUTH_OIDC_AUDIENCE',
    'what `aud` of a token contains',
    text('any text; required with an issuer'),
  ),
  jwksUri: new Setting(
    'AUTH_OIDC_JWKS_URI',
    "URL of the issuer's keys",
    text('a URL with `https`, or with `http` on this machine; no user')
      .refine(isHttpsOrLoopback, { error: 'must be a URL with https, or with http on this machine, without user' })
      .optional(),
    "from the issuer's metadata",
  ),
  algorithms: new Setting(
    'AUTH_OIDC_ALGORITHMS',
    'accepted algorithms of signatures',
    someOf(signingAlgorithms).default(['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519']),
  ),
  scopeClaims: new Setting(
    'AUTH_OIDC_SCOPE_CLAIMS',
    'claims that hold scopes',
    someOf(scopeClaims).default(['scope', 'scp']),
  ),
});

const events = new Group('file', {
  file: new Setting('WEBHOOKS_FILE', 'file of endpoints; requires PostgreSQL', text('path of a file')),
  source: new Setting(
    'WEBHOOKS_SOURCE',
    '`source` of every event',
    text('a URI reference')
      .refine((uri) => /^[!-~]+$/.test(uri) && URL.canParse(uri, 'http://localhost'), {
        error: 'must be a URI reference such as /v1/bookings',
      })
      .default('/v1/bookings'),
  ),
  allowPrivate: onOrOff('WEBHOOKS_ALLOW_PRIVATE', 'whether `http` and private addresses are allowed', false),
  timeout: number('WEBHOOKS_TIMEOUT_MS', "milliseconds for an endpoint's response", [100, 60_000], 10_000),
});

const rateLimit = new Group('limit', {
  limit: new Setting('RATE_LIMIT', 'requests per caller, window and process', wholeNumber(1, 1_000_000), 'no limit'),
  seconds: number('RATE_LIMIT_WINDOW_SECONDS', 'seconds of a window', [1, 86_400], 60),
  trustProxy: number('TRUST_PROXY', 'proxies that append to `X-Forwarded-For`', [0, 10], 0),
});

/** Every variable that the service reads (docs/configuration.md), by the place of its value in the configuration. */
export const settings = {
  port: number('PORT', 'port to listen on; 0 picks a free one', [0, 65_535], 3_000),
  host: new Setting(
    'HOST',
    'address to listen on; `0.0.0.0` or `::` for all',
    text('an address or host name of this machine').default('127.0.0.1'),
  ),
  environment: new Setting(
    'NODE_ENV',
    '`production` requires `DATABASE_URL` or `STORE=memory`',
    text('any text').optional(),
  ),
  store: new Setting(
    'STORE',
    'where bookings are kept',
    oneOf(['memory', 'postgres']).optional(),
    '`postgres` if `DATABASE_URL` is set, else `memory`',
  ),
  memoryMaxBookings: number('MEMORY_MAX_BOOKINGS', 'maximum bookings in memory', [1, 1_000_000], 100_000),
  bookingSchemaFile: new Setting(
    'BOOKING_SCHEMA_FILE',
    'schema that creates must match',
    text('path of a JSON Schema').optional(),
  ),
  database,
  auth: {
    apiKeysFile: new Setting('AUTH_API_KEYS_FILE', 'file of API keys', text('path of a file').optional()),
    oidc,
  },
  corsOrigins: new Setting(
    'CORS_ORIGINS',
    'other origins whose pages may call the service',
    listOf(
      'origins such as `https://app.example` or `capacitor://localhost`, separated by commas; no `*`',
      z.string().refine(isOrigin, { error: 'must list origins such as https://app.example, without a path' }),
    ).optional(),
  ),
  swaggerUi: onOrOff('SWAGGER_UI', 'Swagger UI at `/docs`', true),
  timetable: {
    isOn: onOrOff('TIMETABLE', 'the page at `/timetable`', true),
    resources: new Setting(
      'TIMETABLE_RESOURCES',
      'resources that the timetable always shows',
      listOf(
        'names of resources, separated by commas',
        z.string().refine((name) => resourceIdSchema.safeParse(name).success, {
          error: 'must list names of 1 to 200 characters without control characters',
        }),
      ).optional(),
    ),
  },
  log: {
    level: new Setting('LOG_LEVEL', 'lowest level that is logged', oneOf(logLevels).default('info')),
    format: new Setting(
      'LOG_FORMAT',
      'format of log lines',
      oneOf(logFormats).optional(),
      '`pretty` in a terminal, else `json`',
    ),
    accessLog: onOrOff('ACCESS_LOG', 'a line for every request', false),
    slowRequest: number('SLOW_REQUEST_MS', 'milliseconds after which a request is slow', [1, 600_000], 1_000),
  },
  shutdown: {
    delay: number(
      'SHUTDOWN_DELAY_MS',
      'milliseconds for which new connections are accepted after a signal',
      [0, 600_000],
      0,
    ),
    timeout: number('SHUTDOWN_TIMEOUT_MS', 'milliseconds for requests in flight after that', [1, 600_000], 10_000),
  },
  server: {
    requestTimeout: number(
      'REQUEST_TIMEOUT_MS',
      'milliseconds for a whole request; 10 s of them for the headers',
      [100, 600_000],
      15_000,
    ),
    responseTimeout: number(
      'RESPONSE_TIMEOUT_MS',
      'milliseconds without progress in a response',
      [100, 600_000],
      30_000,
    ),
    keepAliveTimeout: number(
      'KEEP_ALIVE_TIMEOUT_MS',
      'milliseconds that an idle connection is kept',
      [100, 600_000],
      5_000,
    ),
    maxConnections: number('MAX_CONNECTIONS', 'open connections; further ones are closed', [1, 1_000_000], 2_000),
    maxUnsentMib: number(
      'MAX_UNSENT_MIB',
      'MiB of unread responses',
      [1, 65_536],
      UNSENT_MIB,
      "an eighth of Node's heap limit, at most 256",
    ),
  },
  events,
  rateLimit,
};
