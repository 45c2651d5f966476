import { InvalidConfig, readConfig } from '../src/config/config.js';

type Env = Record<string, string>;

const database = { DATABASE_URL: 'postgres://host/bookings' };
const oidc = { AUTH_OIDC_ISSUER: 'https://issuer.example/realm', AUTH_OIDC_AUDIENCE: 'https://bookings.example' };
const events = { ...database, WEBHOOKS_FILE: 'webhooks.json' };

describe('The settings', () => {
  it('have defaults that work without any, also where variables are empty', () => {
    expect(readConfig({})).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      database: undefined,
      auth: undefined,
      rateLimit: undefined,
      events: undefined,
    });
    expect(readConfig({ PORT: '', HOST: '', DATABASE_POOL_SIZE: '' })).toEqual(readConfig({}));
  });

  const accepted: [Env, object][] = [
    [database, { database: { poolSize: 10, connectTimeout: 2_000, statementTimeout: 2_500, migrateAtStart: true } }],
    [{ ...database, STORE: 'memory', DATABASE_POOL_SIZE: '20' }, { database: undefined }],
    [{ NODE_ENV: 'production' }, { isMemoryByDefault: true }],
    [{ NODE_ENV: 'production', STORE: 'memory' }, { isMemoryByDefault: false }],
    [{ NODE_ENV: 'production', ...database }, { isMemoryByDefault: false }],
    [{}, { isMemoryByDefault: false }],
    [{ MAX_UNSENT_MIB: '3' }, { server: { maxUnsentBytes: 3 * 2 ** 20 } }],
    [
      { CORS_ORIGINS: 'https://a.example, http://localhost:1' },
      { corsOrigins: ['https://a.example', 'http://localhost:1'] },
    ],
    [{ AUTH_API_KEYS_FILE: 'keys' }, { auth: { apiKeysFile: 'keys', oidc: undefined } }],
    [oidc, { auth: { oidc: { issuer: oidc.AUTH_OIDC_ISSUER, scopeClaims: ['scope', 'scp'] } } }],
    [{ ...oidc, AUTH_OIDC_SCOPE_CLAIMS: 'scp, roles' }, { auth: { oidc: { scopeClaims: ['scp', 'roles'] } } }],
    [{ ...oidc, AUTH_OIDC_ISSUER: 'http://[::1]:8080' }, { auth: { oidc: { issuer: 'http://[::1]:8080' } } }],
    [{ ...events, WEBHOOKS_SOURCE: 'urn:bookings:1' }, { events: { source: 'urn:bookings:1' } }],
    [{ ...events, WEBHOOKS_SOURCE: '%20' }, { events: { source: '%20' } }],
  ];
  it.each(accepted)('%j is accepted', (env, expected) => {
    expect(readConfig(env)).toMatchObject(expected);
  });

  const rejected: [Env, RegExp][] = [
    [
      { PORT: '65536', LOG_LEVEL: 'loud', ACCESS_LOG: 'maybe' },
      /PORT must be a whole number from 0 to 65535; LOG_LEVEL must be one of trace, .*; ACCESS_LOG must be true or false/,
    ],
    ...['-1', '3000.5', ' 3000', '0x10', '1e3'].map((PORT): [Env, RegExp] => [{ PORT }, /PORT must be/]),
    [{ HOST: '127.0.0.1\n' }, /HOST must not begin or end with white space/],
    [{ ...database, DATABASE_URL: `${database.DATABASE_URL} ` }, /DATABASE_URL must not begin or end with white space/],
    [{ STORE: 'disk' }, /STORE must be one of memory, postgres/],
    [{ STORE: 'postgres', DATABSE_URL: 'postgres://host/b' }, /STORE=postgres requires DATABASE_URL/],
    [{ DATABASE_URL: 'mysql://user:secret@host/bookings' }, /DATABASE_URL must/],
    [{ DATABASE_URL: 'postgres://a,b/bookings' }, /DATABASE_URL must name one host that leads to the primary/],
    [{ DATABASE_URL: 'postgres://user:se@cret@host/b' }, /DATABASE_URL must have each @, \/, /],
    [
      { HEADERS_TIMEOUT_MS: '2000', REQUEST_TIMEOUT_MS: '1000' },
      /HEADERS_TIMEOUT_MS must not be above REQUEST_TIMEOUT_MS/,
    ],
    [
      { WEBHOOKS_FILE: 'webhooks.json' },
      /WEBHOOKS_FILE requires PostgreSQL: set DATABASE_URL, without STORE=memory, or run `pnpm start:postgres`/,
    ],
    ...['a b', 'http://[::1', 'é'].map((WEBHOOKS_SOURCE): [Env, RegExp] => [
      { ...events, WEBHOOKS_SOURCE },
      /WEBHOOKS_SOURCE must be a URI reference/,
    ]),
    [{ AUTH_OIDC_ISSUER: oidc.AUTH_OIDC_ISSUER }, /AUTH_OIDC_ISSUER requires AUTH_OIDC_AUDIENCE/],
    [
      { AUTH_API_KEY_FILE: 'keys', AUTH_OIDC_URL: 'https://a' },
      /AUTH_API_KEY_FILE is unknown; AUTH_OIDC_URL is unknown/,
    ],
    ...[
      'http://issuer.example',
      'http://localhost.example',
      'https://issuer.example?a=1',
      'https://issuer.example/.well-known/openid-configuration',
      'https://user:secret@issuer.example',
      'https:\\\\issuer.example',
    ].map((AUTH_OIDC_ISSUER): [Env, RegExp] => [{ ...oidc, AUTH_OIDC_ISSUER }, /AUTH_OIDC_ISSUER must be a URL/]),
    ...['http://issuer.example/keys', 'https://user:secret@issuer.example/keys'].map(
      (AUTH_OIDC_JWKS_URI): [Env, RegExp] => [
        { ...oidc, AUTH_OIDC_JWKS_URI },
        /AUTH_OIDC_JWKS_URI must be a URL with https/,
      ],
    ),
    ...['HS256', 'none', 'RS256,HS256', 'RS256,'].map((AUTH_OIDC_ALGORITHMS): [Env, RegExp] => [
      { ...oidc, AUTH_OIDC_ALGORITHMS },
      /AUTH_OIDC_ALGORITHMS must list some of RS256/,
    ]),
    [
      { ...oidc, AUTH_OIDC_SCOPE_CLAIMS: 'scope,groups' },
      /AUTH_OIDC_SCOPE_CLAIMS must list some of scope, scp, roles, permissions/,
    ],
    ...[
      '*',
      'null',
      'app.example',
      'https://app.example/',
      'https://App.example',
      'https://app.example:443',
      'https://*.example',
    ].map((CORS_ORIGINS): [Env, RegExp] => [{ CORS_ORIGINS }, /CORS_ORIGINS must list origins/]),
  ];
  it.each(rejected)('%j is rejected, without the secret that it may have', (env, error) => {
    expect(() => readConfig(env)).toThrow(InvalidConfig);
    expect(() => readConfig(env)).toThrow(error);
    expect(() => readConfig(env)).toThrow(/^((?!secret|cret@).)*$/);
  });

  it.each([
    ['AUTH_OIDC_AUDIENCE', 'a', 'AUTH_OIDC_ISSUER'],
    ['AUTH_OIDC_JWKS_URI', 'https://issuer.example/keys', 'AUTH_OIDC_ISSUER'],
    ['AUTH_OIDC_SCOPE_CLAIMS', 'roles', 'AUTH_OIDC_ISSUER'],
    ['DATABASE_POOL_SIZE', '20', 'DATABASE_URL'],
    ['DATABASE_MIGRATE_AT_START', 'false', 'DATABASE_URL'],
    ['RATE_LIMIT_WINDOW_SECONDS', '60', 'RATE_LIMIT'],
    ['TRUST_PROXY', '1', 'RATE_LIMIT'],
    ['WEBHOOKS_SOURCE', '/bookings', 'WEBHOOKS_FILE'],
    ['WEBHOOKS_ALLOW_PRIVATE', 'true', 'WEBHOOKS_FILE'],
  ])('are rejected where %s does nothing without another one', (name, value, required) => {
    expect(() => readConfig({ [name]: value })).toThrow(`${name} requires ${required}`);
  });
});
