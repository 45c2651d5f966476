import { readFileSync } from 'node:fs';
import { readConfig } from '../src/config/config.js';
import { variables } from '../src/config/variables.js';

type Env = Record<string, string>;

const database = { DATABASE_URL: 'postgres://host/bookings' };
const oidc = { AUTH_OIDC_ISSUER: 'https://issuer.example/realm', AUTH_OIDC_AUDIENCE: 'https://bookings.example' };
const events = { ...database, WEBHOOKS_FILE: 'webhooks.json' };

const page = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');
const defaults = Object.entries(variables).map(([name, schema]) => {
  const value = schema.parse(undefined);
  return { name, schema, text: value === undefined ? undefined : [value].flat().join(', ') };
});

describe('The settings', () => {
  it('are those of docs/configuration.md, with their defaults, ranges and meanings', () => {
    const rows = page.split('\n').filter((line) => /^\| `[A-Z][A-Z_]*` /.test(line));
    const expected = defaults.map(({ name, schema, text }) => {
      const { description, default: shown = text ?? 'not set' } = schema.meta()!;
      return `| \`${name}\` | ${String(shown)} | ${String(schema.unwrap().meta()!['range'])} | ${description} |`;
    });
    expect(rows.map((line) => line.replaceAll(/ +/g, ' ')).toSorted()).toEqual(expected.toSorted());
  });

  it.each(defaults)('have a default in its own range: $name', ({ schema, text }) => {
    expect(schema.safeParse(text).success).toBe(true);
  });

  it('have their defaults where variables are empty', () => {
    expect(readConfig({ PORT: '', HOST: '', DATABASE_URL: '' })).toEqual(readConfig({}));
  });

  const accepted: [Env, object][] = [
    [database, { database: { poolSize: 6, connectTimeout: 2_000, statementTimeout: 2_500, migrateAtStart: true } }],
    [{ ...database, STORE: 'memory', DATABASE_POOL_SIZE: '20' }, { database: undefined }],
    [{ NODE_ENV: 'production', ...database }, { isMemoryByDefault: false }],
    [{ MAX_UNSENT_MIB: '3' }, { server: { maxUnsentBytes: 3 * 2 ** 20 } }],
    [oidc, { auth: { oidc: { issuer: oidc.AUTH_OIDC_ISSUER, scopeClaims: ['scope', 'scp'] } } }],
    [{ ...oidc, AUTH_OIDC_ISSUER: 'http://[::1]:8080' }, { auth: { oidc: { issuer: 'http://[::1]:8080' } } }],
    [{ ...events, WEBHOOKS_SOURCE: 'urn:bookings:1' }, { events: { source: 'urn:bookings:1' } }],
    [{ ...events, WEBHOOKS_SOURCE: '%20' }, { events: { source: '%20' } }],
    // Variables that Kubernetes sets for a Service named `auth-api`, and those of other programs.
    [
      { AUTH_API_SERVICE_PORT_HTTP: '80', AUTH_API_PORT: 'tcp://10.0.0.7:80', AUTH_API_PORT_80_TCP_ADDR: '10.0.0.7' },
      { auth: undefined },
    ],
    [{ AUTH_OIDC_PROXY_SERVICE_HOST: '10.0.0.7', AUTH_TOKEN: 'a' }, { auth: undefined }],
  ];
  it.each(accepted)('%j is accepted', (env, expected) => {
    expect(readConfig(env)).toMatchObject(expected);
  });

  const rejected: [Env, RegExp][] = [
    [
      { PORT: '65536', LOG_LEVEL: 'loud', ACCESS_LOG: 'maybe' },
      /PORT must be a whole number from 0 to 65535; LOG_LEVEL must be one of trace, .*; ACCESS_LOG must be true or false/,
    ],
    ...['-1', ' 3000', '0x10'].map((PORT): [Env, RegExp] => [{ PORT }, /PORT must be/]),
    [{ HOST: '127.0.0.1\n' }, /HOST must not begin or end with white space/],
    [{ ...database, DATABASE_URL: `${database.DATABASE_URL} ` }, /DATABASE_URL must not begin or end with white space/],
    [{ STORE: 'disk' }, /STORE must be one of memory, postgres/],
    [{ STORE: 'postgres', DATABSE_URL: 'postgres://host/b' }, /STORE=postgres requires DATABASE_URL/],
    [{ DATABASE_URL: 'mysql://user:secret@host/bookings' }, /DATABASE_URL must/],
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
    // Settings without effect on their own.
    [{ AUTH_OIDC_AUDIENCE: 'a' }, /AUTH_OIDC_AUDIENCE requires AUTH_OIDC_ISSUER/],
    [{ DATABASE_POOL_SIZE: '20' }, /DATABASE_POOL_SIZE requires DATABASE_URL/],
    [{ RATE_LIMIT_WINDOW_SECONDS: '60' }, /RATE_LIMIT_WINDOW_SECONDS requires RATE_LIMIT/],
    [{ TRUST_PROXY: '1' }, /TRUST_PROXY requires RATE_LIMIT/],
    [{ WEBHOOKS_SOURCE: '/bookings' }, /WEBHOOKS_SOURCE requires WEBHOOKS_FILE/],
    [
      { AUTH_API_KEY_FILE: 'keys', AUTH_OIDC_URL: 'https://a' },
      /AUTH_API_KEY_FILE is unknown; AUTH_OIDC_URL is unknown/,
    ],
    [{ AUTH_APIKEYS_FILE: 'keys', auth_oidc_issuer: 'a' }, /AUTH_APIKEYS_FILE is unknown; auth_oidc_issuer is unknown/],
    ...[
      'http://localhost.example',
      'https://issuer.example?a=1',
      'https://issuer.example/.well-known/openid-configuration',
      'https://user:secret@issuer.example',
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
    ...['*', 'null', 'https://app.example/', 'https://App.example'].map((CORS_ORIGINS): [Env, RegExp] => [
      { CORS_ORIGINS },
      /CORS_ORIGINS must list origins/,
    ]),
  ];
  it.each(rejected)('%j is rejected without a word of its secrets', (env, error) => {
    expect(() => readConfig(env)).toThrow(error);
    expect(() => readConfig(env)).toThrow(/^Bad settings: ((?!secret|cret@).)*$/);
  });
});
