import { z } from 'zod';
import { isHttpsOrLoopback, scopeClaims, signingAlgorithms } from '../features/auth/auth-settings.js';
import { connectionStringFault } from './connection-string.js';
import { Group, Setting } from './setting.js';
import { flag, listOf, text, wholeNumber } from './variable-types.js';

export const database = new Group({
  url: new Setting(
    'DATABASE_URL',
    'where bookings are kept, if not in memory',
    text('`postgres://user:password@host:5432/database`, of one host').refine(
      (url) => connectionStringFault(url) === undefined,
      { error: ({ input }) => connectionStringFault(input as string) },
    ),
  ),
  poolSize: new Setting('DATABASE_POOL_SIZE', 'connections of one replica', wholeNumber(2, 1_000).default(6)),
  connectTimeout: new Setting(
    'DATABASE_CONNECT_TIMEOUT_MS',
    'milliseconds to wait for a connection',
    wholeNumber(1, 60_000).default(2_000),
  ),
  statementTimeout: new Setting(
    'DATABASE_STATEMENT_TIMEOUT_MS',
    'milliseconds that a statement may take',
    wholeNumber(1, 60_000).default(2_500),
  ),
  migrateAtStart: new Setting('DATABASE_MIGRATE_AT_START', 'whether a start migrates the schema', flag().default(true)),
});

export const oidc = new Group({
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
    listOf(
      `some of ${signingAlgorithms.join(', ')}, separated by commas`,
      z.enum(signingAlgorithms, { error: `must list some of ${signingAlgorithms.join(', ')}` }),
    ).default(['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519']),
  ),
  scopeClaims: new Setting(
    'AUTH_OIDC_SCOPE_CLAIMS',
    'claims that hold scopes',
    listOf(
      `some of ${scopeClaims.join(', ')}, separated by commas`,
      z.enum(scopeClaims, { error: `must list some of ${scopeClaims.join(', ')}` }),
    ).default(['scope', 'scp']),
  ),
});

export const events = new Group({
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
  allowPrivate: new Setting(
    'WEBHOOKS_ALLOW_PRIVATE',
    'whether `http` and private addresses are allowed',
    flag().default(false),
  ),
  timeout: new Setting(
    'WEBHOOKS_TIMEOUT_MS',
    "milliseconds for an endpoint's response",
    wholeNumber(100, 60_000).default(10_000),
  ),
});

export const rateLimit = new Group({
  limit: new Setting('RATE_LIMIT', 'requests per caller, window and process', wholeNumber(1, 1_000_000), 'no limit'),
  seconds: new Setting('RATE_LIMIT_WINDOW_SECONDS', 'seconds of a window', wholeNumber(1, 86_400).default(60)),
  trustProxy: new Setting('TRUST_PROXY', 'proxies that append to `X-Forwarded-For`', wholeNumber(0, 10).default(0)),
});
