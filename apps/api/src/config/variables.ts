import { getHeapStatistics } from 'node:v8';
import { resourceIdSchema } from '@booking-service/contracts';
import { z } from 'zod';
import { isHttpsOrLoopback, scopeClaims, signingAlgorithms } from '../features/auth/auth-settings.js';
import { logFormats, logLevels } from '../platform/observability/logger.js';
import { connectionStringFault } from './connection-string.js';
import { flag, isOrigin, listOf, oneOf, text, wholeNumber } from './variable-types.js';

/** Default of MAX_UNSENT_MIB: an eighth of Node's heap limit, but at least 1 MiB and at most 256 MiB. */
const UNSENT_MIB = Math.max(1, Math.min(256, Math.floor(getHeapStatistics().heap_size_limit / 2 ** 20 / 8)));

/**
 * Every variable that the service reads (docs/configuration.md). In the metadata, `default` describes a default that is
 * not a constant, and `requires` names another variable without which a value other than the default has no effect.
 */
export const variables = {
  PORT: wholeNumber(0, 65_535).default(3_000).describe('port to listen on; 0 picks a free one'),
  HOST: text('an address or host name of this machine')
    .default('127.0.0.1')
    .describe('address to listen on; `0.0.0.0` or `::` for all'),
  NODE_ENV: text('any text').optional().describe('`production` requires `DATABASE_URL` or `STORE=memory`'),
  STORE: oneOf(['memory', 'postgres']).optional().meta({
    description: 'where bookings are kept',
    default: '`postgres` if `DATABASE_URL` is set, else `memory`',
  }),
  MEMORY_MAX_BOOKINGS: wholeNumber(1, 1_000_000).default(100_000).describe('maximum bookings in memory'),
  BOOKING_SCHEMA_FILE: text('path of a JSON Schema').optional().describe('schema that creates must match'),
  DATABASE_URL: text('`postgres://user:password@host:5432/database`, of one host')
    .refine((url) => connectionStringFault(url) === undefined, {
      error: ({ input }) => connectionStringFault(input as string),
    })
    .optional()
    .describe('where bookings are kept, if not in memory'),
  DATABASE_POOL_SIZE: wholeNumber(2, 1_000)
    .default(6)
    .meta({ description: 'connections of one replica', requires: 'DATABASE_URL' }),
  DATABASE_CONNECT_TIMEOUT_MS: wholeNumber(1, 60_000)
    .default(2_000)
    .meta({ description: 'milliseconds to wait for a connection', requires: 'DATABASE_URL' }),
  DATABASE_STATEMENT_TIMEOUT_MS: wholeNumber(1, 60_000)
    .default(2_500)
    .meta({ description: 'milliseconds that a statement may take', requires: 'DATABASE_URL' }),
  DATABASE_MIGRATE_AT_START: flag()
    .default(true)
    .meta({ description: 'whether a start migrates the schema', requires: 'DATABASE_URL' }),
  SWAGGER_UI: flag().default(true).describe('Swagger UI at `/docs`'),
  TIMETABLE: flag().default(true).describe('the page at `/timetable`'),
  TIMETABLE_RESOURCES: listOf(
    'names of resources, separated by commas',
    z.string().refine((name) => resourceIdSchema.safeParse(name).success, {
      error: 'must list names of 1 to 200 characters without control characters',
    }),
  )
    .optional()
    .describe('resources that the timetable always shows'),
  LOG_LEVEL: oneOf(logLevels).default('info').describe('lowest level that is logged'),
  LOG_FORMAT: oneOf(logFormats)
    .optional()
    .meta({ description: 'format of log lines', default: '`pretty` in a terminal, else `json`' }),
  ACCESS_LOG: flag().default(false).describe('a line for every request'),
  SLOW_REQUEST_MS: wholeNumber(1, 600_000).default(1_000).describe('milliseconds after which a request is slow'),
  SHUTDOWN_DELAY_MS: wholeNumber(0, 600_000)
    .default(0)
    .describe('milliseconds for which new connections are accepted after a signal'),
  SHUTDOWN_TIMEOUT_MS: wholeNumber(1, 600_000)
    .default(10_000)
    .describe('milliseconds for requests in flight after that'),
  AUTH_API_KEYS_FILE: text('path of a file').optional().describe('file of API keys'),
  AUTH_OIDC_ISSUER: text('a URL with `https`, or with `http` on this machine; no user, no query')
    .refine((url) => isHttpsOrLoopback(url) && !/[?#]|\/\.well-known\//.test(url), {
      error: 'must be a URL with https, or with http on this machine, without user, query, fragment and /.well-known/',
    })
    .optional()
    // Tokens for the issuer's other services would be accepted without an audience.
    .meta({ description: '`iss` of accepted tokens', requires: 'AUTH_OIDC_AUDIENCE' }),
  AUTH_OIDC_AUDIENCE: text('any text; required with an issuer')
    .optional()
    .meta({ description: 'what `aud` of a token contains', requires: 'AUTH_OIDC_ISSUER' }),
  AUTH_OIDC_JWKS_URI: text('a URL with `https`, or with `http` on this machine; no user')
    .refine(isHttpsOrLoopback, { error: 'must be a URL with https, or with http on this machine, without user' })
    .optional()
    .meta({
      description: "URL of the issuer's keys",
      default: "from the issuer's metadata",
      requires: 'AUTH_OIDC_ISSUER',
    }),
  AUTH_OIDC_ALGORITHMS: listOf(
    `some of ${signingAlgorithms.join(', ')}, separated by commas`,
    z.enum(signingAlgorithms, { error: `must list some of ${signingAlgorithms.join(', ')}` }),
  )
    .default(['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'])
    .meta({ description: 'accepted algorithms of signatures', requires: 'AUTH_OIDC_ISSUER' }),
  AUTH_OIDC_SCOPE_CLAIMS: listOf(
    `some of ${scopeClaims.join(', ')}, separated by commas`,
    z.enum(scopeClaims, { error: `must list some of ${scopeClaims.join(', ')}` }),
  )
    .default(['scope', 'scp'])
    .meta({ description: 'claims that hold scopes', requires: 'AUTH_OIDC_ISSUER' }),
  CORS_ORIGINS: listOf(
    'origins such as `https://app.example` or `capacitor://localhost`, separated by commas; no `*`',
    z.string().refine(isOrigin, { error: 'must list origins such as https://app.example, without a path' }),
  )
    .optional()
    .describe('other origins whose pages may call the service'),
  REQUEST_TIMEOUT_MS: wholeNumber(100, 600_000)
    .default(15_000)
    .describe('milliseconds for a whole request; 10 s of them for the headers'),
  RESPONSE_TIMEOUT_MS: wholeNumber(100, 600_000)
    .default(30_000)
    .describe('milliseconds without progress in a response'),
  KEEP_ALIVE_TIMEOUT_MS: wholeNumber(100, 600_000)
    .default(5_000)
    .describe('milliseconds that an idle connection is kept'),
  MAX_CONNECTIONS: wholeNumber(1, 1_000_000).default(2_000).describe('open connections; further ones are closed'),
  MAX_UNSENT_MIB: wholeNumber(1, 65_536).default(UNSENT_MIB).meta({
    description: 'MiB of unread responses',
    default: "an eighth of Node's heap limit, at most 256",
  }),
  RATE_LIMIT: wholeNumber(1, 1_000_000).optional().meta({
    description: 'requests per caller, window and process',
    default: 'no limit',
  }),
  RATE_LIMIT_WINDOW_SECONDS: wholeNumber(1, 86_400)
    .default(60)
    .meta({ description: 'seconds of a window', requires: 'RATE_LIMIT' }),
  WEBHOOKS_FILE: text('path of a file').optional().describe('file of endpoints; requires PostgreSQL'),
  WEBHOOKS_SOURCE: text('a URI reference')
    .refine((uri) => /^[!-~]+$/.test(uri) && URL.canParse(uri, 'http://localhost'), {
      error: 'must be a URI reference such as /v1/bookings',
    })
    .default('/v1/bookings')
    .meta({ description: '`source` of every event', requires: 'WEBHOOKS_FILE' }),
  WEBHOOKS_ALLOW_PRIVATE: flag()
    .default(false)
    .meta({ description: 'whether `http` and private addresses are allowed', requires: 'WEBHOOKS_FILE' }),
  WEBHOOKS_TIMEOUT_MS: wholeNumber(100, 60_000)
    .default(10_000)
    .meta({ description: "milliseconds for an endpoint's response", requires: 'WEBHOOKS_FILE' }),
  TRUST_PROXY: wholeNumber(0, 10)
    .default(0)
    .meta({ description: 'proxies that append to `X-Forwarded-For`', requires: 'RATE_LIMIT' }),
};
