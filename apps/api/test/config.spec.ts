import { execFileSync } from 'node:child_process';
import { InvalidConfig, readConfig } from '../src/config/config.js';

const MIB = 2 ** 20;

describe('The settings', () => {
  it('have defaults that work without any', () => {
    expect(readConfig({})).toEqual({
      port: 3000,
      host: '127.0.0.1',
      memoryMaxBookings: 1_000_000,
      isMemoryByDefault: false,
      bookingSchemaFile: undefined,
      database: undefined,
      auth: undefined,
      corsOrigins: [],
      swaggerUi: true,
      timetable: { resources: [] },
      log: { level: 'info', format: undefined, accessLog: false, rejections: 'some', slowRequest: 1_000 },
      shutdown: { delay: 0, timeout: 10_000 },
      server: {
        headersTimeout: 10_000,
        requestTimeout: 15_000,
        responseTimeout: 30_000,
        keepAliveTimeout: 5_000,
        maxConnections: 2_000,
        maxUnsentBytes: expect.any(Number),
      },
      rateLimit: undefined,
      trustProxy: 0,
    });
  });

  it.each([
    [64, 8, 16],
    [1_024, 128, 160],
    [8_192, 256, 256],
  ])('limit unsent responses to an eighth of a heap of %d MiB, at most 256', (heap, least, most) => {
    const program = `
      import { readConfig } from '${new URL('../build/config/config.js', import.meta.url).href}';
      process.stdout.write(String(readConfig({}).server.maxUnsentBytes));
    `;
    const flags = [`--max-old-space-size=${heap}`, '--input-type=module', '--eval', program];
    const bytes = Number(execFileSync(process.execPath, flags, { encoding: 'utf8' }));
    expect(bytes).toBeGreaterThanOrEqual(least * MIB);
    expect(bytes).toBeLessThanOrEqual(most * MIB);
  });

  it('take another limit on them, and on the time without progress, from the environment', () => {
    const { server } = readConfig({ MAX_UNSENT_MIB: '3', RESPONSE_TIMEOUT_MS: '100' });
    expect(server).toMatchObject({ maxUnsentBytes: 3 * MIB, responseTimeout: 100 });
    expect(() => readConfig({ MAX_UNSENT_MIB: '0', RESPONSE_TIMEOUT_MS: '99' })).toThrow(
      /RESPONSE_TIMEOUT_MS must be a whole number from 100 to 600000; MAX_UNSENT_MIB must be .* from 1 to 65536/,
    );
  });

  it('choose PostgreSQL by DATABASE_URL, with timeouts that allow a 503 within 5 seconds', () => {
    const { database } = readConfig({ DATABASE_URL: 'postgres://user:secret@host/bookings' });
    expect(database).toEqual({
      url: 'postgres://user:secret@host/bookings',
      readUrl: undefined,
      poolSize: 10,
      connectTimeout: 2_000,
      statementTimeout: 2_500,
      migrateAtStart: true,
      migrations: new URL('../migrations/', import.meta.url),
    });
  });

  it('keep to the store that STORE names', () => {
    expect(readConfig({ STORE: 'memory', DATABASE_URL: 'postgres://host/bookings' }).database).toBeUndefined();
    expect(readConfig({ STORE: 'postgres', DATABASE_URL: 'postgres://host/bookings' }).database).toBeDefined();
    expect(() => readConfig({ STORE: 'postgres', DATABSE_URL: 'postgres://host/bookings' })).toThrow(
      'Bad settings: STORE=postgres requires DATABASE_URL.',
    );
    expect(() => readConfig({ STORE: 'disk' })).toThrow('STORE must be one of memory, postgres');
  });

  it('require PostgreSQL where there are webhooks, and name the way', () => {
    const fault =
      'Bad settings: WEBHOOKS_FILE requires PostgreSQL: set DATABASE_URL, without STORE=memory, or run `pnpm start:postgres`.';
    const database = { DATABASE_URL: 'postgres://host/bookings' };
    expect(() => readConfig({ WEBHOOKS_FILE: 'webhooks.json' })).toThrow(fault);
    expect(() => readConfig({ WEBHOOKS_FILE: 'webhooks.json', STORE: 'memory', ...database })).toThrow(fault);
    expect(readConfig({ WEBHOOKS_FILE: 'webhooks.json', ...database }).events).toMatchObject({ file: 'webhooks.json' });
  });

  it.each([
    [{ NODE_ENV: 'production' }, true],
    [{ NODE_ENV: 'production', STORE: 'memory' }, false],
    [{ NODE_ENV: 'production', DATABASE_URL: 'postgres://host/bookings' }, false],
    [{ NODE_ENV: 'test' }, false],
    [{}, false],
  ])('find bookings in memory without STORE in production in %j: %s', (env, isFound) => {
    expect(readConfig(env).isMemoryByDefault).toBe(isFound);
  });

  it('accept several hosts, but only connections to the primary', () => {
    const url = 'postgresql://user:p%40ss@a:5432,[::1]:6432,c/bookings?target_session_attrs=read-write&sslmode=require';
    expect(readConfig({ DATABASE_URL: url, DATABASE_READ_URL: url }).database).toMatchObject({ url, readUrl: url });
    expect(() => readConfig({ DATABASE_URL: url.replace('=read-write', '=any') })).toThrow(
      'DATABASE_URL must have one of read-write, primary as `target_session_attrs`',
    );
    for (const bad of ['postgres://a:1,:2/b', 'postgres://a:1,b:x/c', 'postgres://']) {
      expect(() => readConfig({ DATABASE_URL: bad })).toThrow('DATABASE_URL must be a URL');
    }
  });

  it.each([
    '/bookings',
    'bookings',
    'urn:bookings:1',
    'https://bookings.example/v1?a=b#c',
    'mailto:a@b.example',
    '%20',
  ])('accept the source of events %s', (source) => {
    const env = { DATABASE_URL: 'postgres://host/bookings', WEBHOOKS_FILE: 'webhooks.json', WEBHOOKS_SOURCE: source };
    expect(readConfig(env).events).toMatchObject({ source });
  });

  it.each(['%zz', '/a%2', 'a b', '/ä', 'http://', 'http://[::1', '/a[1]', '/a#b#c', '1a:b', ':'])(
    'reject the source of events %s',
    (source) => {
      expect(() => readConfig({ WEBHOOKS_SOURCE: source })).toThrow('WEBHOOKS_SOURCE must be a URI reference');
    },
  );

  it.each([
    'HOST',
    'AUTH_API_KEYS_FILE',
    'AUTH_OIDC_ISSUER',
    'AUTH_OIDC_AUDIENCE',
    'BOOKING_SCHEMA_FILE',
    'DATABASE_URL',
  ])('reject white space around %s, as of a file that ends with a line break', (name) => {
    for (const value of ['https://host\n', ' https://host']) {
      expect(() => readConfig({ [name]: value })).toThrow(`${name} must not begin or end with white space`);
    }
  });

  it.each(['DATABASE_URL', 'DATABASE_READ_URL'])(
    'reject a misspelt parameter of %s, and a password with an @',
    (name) => {
      const read = (url: string) => () => readConfig({ DATABASE_URL: 'postgres://host/bookings', [name]: url });
      expect(read('postgres://host/bookings?sslmod=verify-full')).toThrow(
        `Bad settings: ${name} has the unknown parameter \`sslmod\`: the nearest known one is \`sslmode\`.`,
      );
      expect(read('postgres://user:se@cret@host/bookings')).toThrow(`Bad settings: ${name} must have each @, /, `);
    },
  );

  it('never show a password in a fault', () => {
    expect(() => readConfig({ DATABASE_URL: 'mysql://user:secret@host/bookings' })).toThrow(/^((?!secret).)*$/);
  });

  it.each([
    ['AUTH_OIDC_JWKS_URI', 'https://issuer.example/keys', 'AUTH_OIDC_ISSUER'],
    ['AUTH_OIDC_SCOPE_CLAIMS', 'roles', 'AUTH_OIDC_ISSUER'],
    ['DATABASE_READ_URL', 'postgres://host/bookings', 'DATABASE_URL'],
    ['DATABASE_POOL_SIZE', '20', 'DATABASE_URL'],
    ['DATABASE_MIGRATE_AT_START', 'false', 'DATABASE_URL'],
    ['RATE_LIMIT_WINDOW_SECONDS', '60', 'RATE_LIMIT'],
    ['TRUST_PROXY', '1', 'RATE_LIMIT'],
    ['WEBHOOKS_SOURCE', '/bookings', 'WEBHOOKS_FILE'],
    ['WEBHOOKS_ALLOW_PRIVATE', 'true', 'WEBHOOKS_FILE'],
    ['WEBHOOKS_TIMEOUT_MS', '1000', 'WEBHOOKS_FILE'],
  ])('are rejected if %s does nothing without another one', (name, value, required) => {
    expect(() => readConfig({ [name]: value })).toThrow(`Bad settings: ${name} requires ${required}.`);
    expect(() => readConfig({ [name]: value, [required]: '' })).toThrow(`${name} requires ${required}`);
    expect(readConfig({ [name]: '' })).toEqual(readConfig({}));
  });

  it('may stay where STORE=memory leaves the database aside for a while', () => {
    const database = { DATABASE_URL: 'postgres://host/bookings', DATABASE_POOL_SIZE: '20' };
    expect(readConfig({ ...database, STORE: 'memory' }).database).toBeUndefined();
  });

  it('treat an empty variable as not set', () => {
    expect(readConfig({ PORT: '', HOST: '' })).toEqual(readConfig({}));
  });

  it('are rejected with every fault in one message', () => {
    const read = (): unknown =>
      readConfig({ PORT: '65536', MEMORY_MAX_BOOKINGS: '1e3', LOG_LEVEL: 'loud', ACCESS_LOG: 'maybe' });
    expect(read).toThrow(InvalidConfig);
    expect(read).toThrow(
      /PORT must be a whole number from 0 to 65535; MEMORY_MAX_BOOKINGS must be .*; LOG_LEVEL must be one of trace, .*; ACCESS_LOG must be true or false/,
    );
  });

  it('reject a headers timeout above the request timeout, together with every other fault', () => {
    const read = (): unknown => readConfig({ HEADERS_TIMEOUT_MS: '2000', REQUEST_TIMEOUT_MS: '1000', PORT: 'http' });
    expect(read).toThrow(/PORT must be .*; HEADERS_TIMEOUT_MS must not be above REQUEST_TIMEOUT_MS/);
    expect(() => readConfig({ HEADERS_TIMEOUT_MS: '20000' })).toThrow(InvalidConfig);
    expect(() => readConfig({ MAX_CONNECTIONS: '0', KEEP_ALIVE_TIMEOUT_MS: '65s' })).toThrow(/KEEP_ALIVE.*; MAX_CONN/);
  });

  it.each(['-1', '3000.5', ' 3000', '0x10', 'http'])('reject the port %j', (port) => {
    expect(() => readConfig({ PORT: port })).toThrow(InvalidConfig);
  });
});

describe('The settings of authentication', () => {
  const oidc = { AUTH_OIDC_ISSUER: 'https://issuer.example/realm', AUTH_OIDC_AUDIENCE: 'https://bookings.example' };

  it('choose a file of API keys, an issuer, or both', () => {
    const settings = {
      issuer: oidc.AUTH_OIDC_ISSUER,
      audience: oidc.AUTH_OIDC_AUDIENCE,
      jwksUri: undefined,
      algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'],
      scopeClaims: ['scope', 'scp'],
    };
    expect(readConfig({ AUTH_API_KEYS_FILE: 'keys' }).auth).toEqual({ apiKeysFile: 'keys', oidc: undefined });
    expect(readConfig(oidc).auth).toEqual({ apiKeysFile: undefined, oidc: settings });
    expect(readConfig({ ...oidc, AUTH_API_KEYS_FILE: 'keys' }).auth).toEqual({ apiKeysFile: 'keys', oidc: settings });
  });

  it('may set the URL of the keys, the algorithms and the claims with scopes', () => {
    const jwksUri = 'https://issuer.example/keys?policy=1';
    const { auth } = readConfig({
      ...oidc,
      AUTH_OIDC_JWKS_URI: jwksUri,
      AUTH_OIDC_ALGORITHMS: 'ES256, ES384',
      AUTH_OIDC_SCOPE_CLAIMS: 'scp, roles',
    });
    expect(auth?.oidc).toMatchObject({ jwksUri, algorithms: ['ES256', 'ES384'], scopeClaims: ['scp', 'roles'] });
    expect(() => readConfig({ ...oidc, AUTH_OIDC_SCOPE_CLAIMS: 'scope,groups' })).toThrow(
      'AUTH_OIDC_SCOPE_CLAIMS must list some of scope, scp, roles, permissions',
    );
  });

  it('are rejected if the service would only seem guarded', () => {
    expect(() => readConfig({ AUTH_OIDC_AUDIENCE: 'a', AUTH_OIDC_ALGORITHMS: 'ES256' })).toThrow(
      'AUTH_OIDC_AUDIENCE requires AUTH_OIDC_ISSUER; AUTH_OIDC_ALGORITHMS requires AUTH_OIDC_ISSUER.',
    );
  });

  it('are rejected without an audience', () => {
    expect(() => readConfig({ AUTH_OIDC_ISSUER: oidc.AUTH_OIDC_ISSUER })).toThrow(
      'AUTH_OIDC_ISSUER requires AUTH_OIDC_AUDIENCE',
    );
  });

  it('are named together with all other faults', () => {
    expect(() => readConfig({ PORT: 'x', AUTH_OIDC_ISSUER: 'issuer.example', CORS_ORIGINS: '*' })).toThrow(
      /PORT must .*; AUTH_OIDC_ISSUER must .*; CORS_ORIGINS must .*; AUTH_OIDC_ISSUER requires AUTH_OIDC_AUDIENCE/,
    );
  });

  it.each(['http://localhost:8080', 'http://127.0.0.1/realm', 'http://[::1]:8080'])(
    'accept the issuer %s',
    (issuer) => {
      expect(readConfig({ ...oidc, AUTH_OIDC_ISSUER: issuer }).auth?.oidc?.issuer).toBe(issuer);
    },
  );

  it.each([
    'http://issuer.example',
    'http://localhost.example',
    'http://127.0.0.1.example',
    'ftp://issuer.example',
    'issuer.example',
    'https://issuer.example?tenant=1',
    'https://issuer.example#',
    'https://issuer.example/.well-known/openid-configuration',
    'https://user:password@issuer.example',
    'https://user@issuer.example',
    'https:issuer.example',
    'https:\\\\issuer.example',
    'https://issuer.example/a b',
    'https://issuer.exa\nmple',
    'https://issuer.example:0x50',
  ])('reject the issuer %s', (issuer) => {
    expect(() => readConfig({ ...oidc, AUTH_OIDC_ISSUER: issuer })).toThrow(/AUTH_OIDC_ISSUER must be a URL/);
  });

  it.each([
    ['that others could tamper with', 'http://issuer.example/keys'],
    ['with a user, which fetch does not take', 'https://user:secret@issuer.example/keys'],
  ])('reject a URL of keys %s', (_, url) => {
    const read = (): unknown => readConfig({ ...oidc, AUTH_OIDC_JWKS_URI: url });
    expect(read).toThrow('AUTH_OIDC_JWKS_URI must be a URL with https');
    expect(read).toThrow(/^((?!secret).)*$/);
  });

  it.each(['HS256', 'none', 'RS256,HS256', 'rs256', 'RS256,', 'A128KW'])('reject the algorithms %s', (algorithms) => {
    expect(() => readConfig({ ...oidc, AUTH_OIDC_ALGORITHMS: algorithms })).toThrow(
      'AUTH_OIDC_ALGORITHMS must list some of RS256',
    );
  });
});

describe('The setting of CORS', () => {
  it('lists origins', () => {
    const { corsOrigins } = readConfig({ CORS_ORIGINS: 'https://app.example, http://localhost:5173' });
    expect(corsOrigins).toEqual(['https://app.example', 'http://localhost:5173']);
  });

  it.each([
    '*',
    'null',
    'app.example',
    'https://app.example/',
    'https://app.example/path',
    'https://App.example',
    'https://app.example:443',
    'https://*.example',
    'https://user@app.example',
    'file://',
    'https://app.example,',
  ])('rejects %s', (origins) => {
    expect(() => readConfig({ CORS_ORIGINS: origins })).toThrow(/CORS_ORIGINS must list origins/);
  });
});
