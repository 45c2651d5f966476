import { getHeapStatistics } from 'node:v8';
import { resourceIdSchema } from '@booking-service/contracts';
import { z } from 'zod';
import { isHttpsOrLoopback, scopeClaims, signingAlgorithms } from '../features/auth/auth-settings.js';
import { logFormats, logLevels } from '../platform/observability/logger.js';
import { connectionStringFault } from './connection-string.js';
import { Group, number, onOrOff, Setting } from './setting.js';
import { checked, isOrigin, listOf, oneOf, someOf, text, wholeNumber } from './variable-types.js';

/** Default of MAX_UNSENT_MIB: an eighth of Node's heap limit, but at least 1 MiB and at most 256 MiB. */
const UNSENT_MIB = Math.max(1, Math.min(256, Math.floor(getHeapStatistics().heap_size_limit / 2 ** 20 / 8)));

const database = new Group('url', {
  url: new Setting(
    'DATABASE_URL',
    text('`postgres://user:password@host:5432/database`, of one host').refine(
      (url) => connectionStringFault(url) === undefined,
      { error: ({ input }) => connectionStringFault(input as string) },
    ),
  ),
  poolSize: number('DATABASE_POOL_SIZE', [2, 1_000], 6),
  connectTimeout: number('DATABASE_CONNECT_TIMEOUT_MS', [1, 60_000], 2_000),
  statementTimeout: number('DATABASE_STATEMENT_TIMEOUT_MS', [1, 60_000], 2_500),
  migrateAtStart: onOrOff('DATABASE_MIGRATE_AT_START', true),
});

const oidc = new Group('issuer', {
  issuer: new Setting(
    'AUTH_OIDC_ISSUER',
    checked(
      'a URL with https, or with http on this machine, without user, query, fragment and /.well-known/',
      (url) => isHttpsOrLoopback(url) && !/[?#]|\/\.well-known\//.test(url),
    ),
  ),
  // Without an audience, tokens for the issuer's other services would be accepted.
  audience: new Setting('AUTH_OIDC_AUDIENCE', text('any text; required with an issuer')),
  jwksUri: new Setting(
    'AUTH_OIDC_JWKS_URI',
    checked('a URL with https, or with http on this machine, without user', isHttpsOrLoopback).optional(),
    "from the issuer's metadata",
  ),
  algorithms: new Setting(
    'AUTH_OIDC_ALGORITHMS',
    someOf(signingAlgorithms).default(['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519']),
  ),
  scopeClaims: new Setting('AUTH_OIDC_SCOPE_CLAIMS', someOf(scopeClaims).default(['scope', 'scp'])),
});

const events = new Group('file', {
  file: new Setting('WEBHOOKS_FILE', text('path of a file')),
  source: new Setting(
    'WEBHOOKS_SOURCE',
    checked('a URI reference', (uri) => /^[!-~]+$/.test(uri) && URL.canParse(uri, 'http://localhost')).default(
      '/v1/bookings',
    ),
  ),
  allowPrivate: onOrOff('WEBHOOKS_ALLOW_PRIVATE', false),
  timeout: number('WEBHOOKS_TIMEOUT_MS', [100, 60_000], 10_000),
});

const rateLimit = new Group('limit', {
  limit: new Setting('RATE_LIMIT', wholeNumber(1, 1_000_000), 'no limit'),
  seconds: number('RATE_LIMIT_WINDOW_SECONDS', [1, 86_400], 60),
  trustProxy: number('TRUST_PROXY', [0, 10], 0),
});

/**
 * Every variable that the service reads, by the place of its value in the configuration. What each means stands in
 * docs/configuration.md, and with the setting of the part that has it.
 */
export const settings = {
  port: number('PORT', [0, 65_535], 3_000),
  host: new Setting('HOST', text('an address or host name of this machine').default('127.0.0.1')),
  environment: new Setting('NODE_ENV', text('any text').optional()),
  store: new Setting(
    'STORE',
    oneOf(['memory', 'postgres']).optional(),
    '`postgres` if `DATABASE_URL` is set, else `memory`',
  ),
  memoryMaxBookings: number('MEMORY_MAX_BOOKINGS', [1, 1_000_000], 100_000),
  bookingSchemaFile: new Setting('BOOKING_SCHEMA_FILE', text('path of a JSON Schema').optional()),
  database,
  auth: {
    apiKeysFile: new Setting('AUTH_API_KEYS_FILE', text('path of a file').optional()),
    oidc,
  },
  corsOrigins: new Setting(
    'CORS_ORIGINS',
    listOf(
      'origins such as `https://app.example` or `capacitor://localhost`, separated by commas; no `*`',
      z.string().refine(isOrigin, { error: 'must list origins such as https://app.example, without a path' }),
    ).optional(),
  ),
  swaggerUi: onOrOff('SWAGGER_UI', true),
  timetable: {
    isOn: onOrOff('TIMETABLE', true),
    resources: new Setting(
      'TIMETABLE_RESOURCES',
      listOf(
        'names of resources, separated by commas',
        z.string().refine((name) => resourceIdSchema.safeParse(name).success, {
          error: 'must list names of 1 to 200 characters without control characters',
        }),
      ).optional(),
    ),
  },
  log: {
    level: new Setting('LOG_LEVEL', oneOf(logLevels).default('info')),
    format: new Setting('LOG_FORMAT', oneOf(logFormats).optional(), '`pretty` in a terminal, else `json`'),
    accessLog: onOrOff('ACCESS_LOG', false),
    slowRequest: number('SLOW_REQUEST_MS', [1, 600_000], 1_000),
  },
  shutdown: {
    delay: number('SHUTDOWN_DELAY_MS', [0, 600_000], 0),
    timeout: number('SHUTDOWN_TIMEOUT_MS', [1, 600_000], 10_000),
  },
  server: {
    requestTimeout: number('REQUEST_TIMEOUT_MS', [100, 600_000], 15_000),
    responseTimeout: number('RESPONSE_TIMEOUT_MS', [100, 600_000], 30_000),
    keepAliveTimeout: number('KEEP_ALIVE_TIMEOUT_MS', [100, 600_000], 5_000),
    maxConnections: number('MAX_CONNECTIONS', [1, 1_000_000], 2_000),
    maxUnsentMib: number('MAX_UNSENT_MIB', [1, 65_536], UNSENT_MIB, "an eighth of Node's heap limit, at most 256"),
  },
  events,
  rateLimit,
};
