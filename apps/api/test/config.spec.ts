import { readFileSync } from 'node:fs';
import { readConfig } from '../src/config/config.js';
import { settingsOf } from '../src/config/setting.js';
import { settings } from '../src/config/settings.js';

type Env = Record<string, string>;

const database = { DATABASE_URL: 'postgres://host/bookings' };
const oidc = { AUTH_OIDC_ISSUER: 'https://issuer.example/realm', AUTH_OIDC_AUDIENCE: 'https://bookings.example' };
const events = { ...database, WEBHOOKS_FILE: 'webhooks.json' };

const page = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');
const variables = settingsOf(settings).map(({ variable, type, defaultValue, shownDefault, range }) => {
  const text = defaultValue === undefined ? undefined : ([defaultValue].flat() as string[]).join(', ');
  return { variable, type, text, row: `| \`${variable}\` | ${shownDefault ?? text ?? 'not set'} | ${range} |` };
});

/** As browsers and the web views of apps write them. */
const ORIGINS = [
  'https://app.example',
  'http://localhost:5173',
  'http://[::1]:5173',
  'capacitor://localhost',
  'ionic://localhost',
  'app://obsidian.md',
  'tauri://localhost',
  'chrome-extension://aapbdbdomjkkjkaonfhkkikfgjllcleb',
  'vscode-webview://0a1b2c3d',
];
const NO_ORIGINS = [
  '*',
  'null',
  'https://*.app.example',
  'app://*',
  'https://app.example/',
  'https://app.example/path',
  'https://app.example?q',
  'https://user@app.example',
  'https://app.example:443',
  'https://App.example',
  'app.example',
  'capacitor://localhost/',
  'capacitor://localhost#x',
  'Capacitor://localhost',
  'ionic://',
  'file://',
  'blob:https://app.example',
];

describe('The settings', () => {
  it('are those of docs/configuration.md, with their defaults and ranges', () => {
    const rows = page.split('\n').filter((line) => /^\| `[A-Z][A-Z_]*` /.test(line));
    const shown = rows.map((line) => line.replaceAll(/ +/g, ' ').replace(/(?<=\|) [^|]+ \|$/, ''));
    expect(shown.toSorted()).toEqual(variables.map(({ row }) => row).toSorted());
  });

  const constants = variables.filter(({ text }) => text !== undefined);

  it.each(constants)('have a default within their range: $variable', ({ type, text }) => {
    expect(type.safeParse(text).success).toBe(true);
  });

  it('have their defaults where variables are empty', () => {
    expect(readConfig({ PORT: '', HOST: '', STORE: '' })).toEqual(readConfig({}));
  });

  it('need no other where they equal their defaults', () => {
    const env = Object.fromEntries(constants.map(({ variable, text }) => [variable, text!]));
    expect(readConfig(env)).toEqual(readConfig({}));
  });

  const accepted: [Env, object][] = [
    [database, { database: { poolSize: 6, connectTimeout: 2_000, statementTimeout: 2_500, migrateAtStart: true } }],
    [{ ...database, STORE: 'memory', DATABASE_POOL_SIZE: '20' }, { database: undefined }],
    [{ ...database, NODE_ENV: 'production', DATABASE_URL_FILE: 'url' }, { database: { url: database.DATABASE_URL } }],
    [{ NODE_ENV: 'production', STORE: 'memory', DATABASE_URL: '' }, { database: undefined }],
    [{ MAX_UNSENT_MIB: '3' }, { server: { maxUnsentBytes: 3 * 2 ** 20 } }],
    [oidc, { auth: { oidc: { issuer: oidc.AUTH_OIDC_ISSUER, scopeClaims: ['scope', 'scp'] } } }],
    [{ ...oidc, AUTH_OIDC_ISSUER: 'http://[::1]:8080' }, { auth: { oidc: { issuer: 'http://[::1]:8080' } } }],
    [{ CORS_ORIGINS: ORIGINS.join(', ') }, { corsOrigins: ORIGINS }],
    [{ ...events, WEBHOOKS_SOURCE: 'urn:bookings:1' }, { events: { source: 'urn:bookings:1' } }],
    [{ ...events, WEBHOOKS_SOURCE: '%20' }, { events: { source: '%20' } }],
    // Variables that Kubernetes sets for a Service named `auth-api`.
    [
      { AUTH_API_SERVICE_PORT_HTTP: '80', AUTH_API_PORT: 'tcp://10.0.0.7:80', AUTH_API_PORT_80_TCP_ADDR: '10.0.0.7' },
      { auth: undefined },
    ],
    [{ AUTH_OIDC_PROXY_SERVICE_HOST: '10.0.0.7' }, { auth: undefined }],
    [
      { ...database, STORE: 'Memory', LOG_LEVEL: 'WARN', LOG_FORMAT: 'JSON', ACCESS_LOG: 'TRUE' },
      { database: undefined, log: { level: 'warn', format: 'json', accessLog: true } },
    ],
  ];
  it.each(accepted)('%j are accepted', (env, expected) => {
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
    [{ STORE: 'postgres' }, /: STORE=postgres requires DATABASE_URL\.$/],
    // One mistake has one sentence.
    [{ STORE: 'postgres', DATABASE_URL: '' }, /: STORE=postgres requires DATABASE_URL\.$/],
    [{ NODE_ENV: 'production', STORE: 'disk' }, /: STORE must be one of memory, postgres\.$/],
    ...['DATABASE_URI', 'POSTGRES_URL', 'DB_URL', 'PGHOST'].map((name): [Env, RegExp] => [
      { NODE_ENV: 'production', [name]: 'postgres://user:secret@host/bookings' },
      /: NODE_ENV=production requires DATABASE_URL, or STORE=memory\.$/,
    ]),
    [
      { NODE_ENV: 'production', DATABASE_URL_FILE: '/run/secrets/url' },
      /: NODE_ENV=production requires DATABASE_URL, or STORE=memory \(DATABASE_URL_FILE is not read\)\.$/,
    ],
    [{ DATABASE_URL: 'mysql://user:secret@host/bookings' }, /DATABASE_URL must/],
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
    [{ RATE_LIMIT_WINDOW_SECONDS: '61' }, /RATE_LIMIT_WINDOW_SECONDS requires RATE_LIMIT/],
    [{ TRUST_PROXY: '1' }, /TRUST_PROXY requires RATE_LIMIT/],
    [{ WEBHOOKS_SOURCE: '/bookings' }, /WEBHOOKS_SOURCE requires WEBHOOKS_FILE/],
    [
      { AUTH_API_KEY_FILE: 'secret', AUTH_KEYS_FILE: '' },
      /: AUTH_API_KEY_FILE is unknown; AUTH_KEYS_FILE is unknown\.$/,
    ],
    // As a manifest sets them from a variable that is not set: the service would be open.
    [{ AUTH_API_KEYS_FILE: '' }, /AUTH_API_KEYS_FILE is empty/],
    [{ DATABASE_URL: '' }, /DATABASE_URL is empty/],
    [{ AUTH_OIDC_ISSUER: '', AUTH_OIDC_AUDIENCE: '' }, /AUTH_OIDC_ISSUER is empty; AUTH_OIDC_AUDIENCE is empty/],
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
    ...NO_ORIGINS.map((CORS_ORIGINS): [Env, RegExp] => [{ CORS_ORIGINS }, /CORS_ORIGINS must list origins/]),
  ];
  it.each(rejected)('%j are rejected without quoting a secret', (env, error) => {
    expect(() => readConfig(env)).toThrow(error);
    expect(() => readConfig(env)).toThrow(/^Bad settings: ((?!secret|cret@).)*$/);
  });
});
