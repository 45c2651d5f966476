import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTestDatabase, listen, type Listening, programOf, ServiceProcess, temporaryFolder } from 'testing';
import { anApiKey, ApiKeysFile } from './support/api-keys.js';

const thisFile = fileURLToPath(import.meta.url);
const schema = fileURLToPath(new URL('../../../examples/booking-schema/dinner.schema.json', import.meta.url));
const keys = new ApiKeysFile(anApiKey('desk'));
const brokenKeys = new ApiKeysFile();
brokenKeys.write('desk', '', 'kiosk');
let blocker: Listening;

beforeAll(async () => void (blocker = await listen(createServer())));
afterAll(() => blocker.close());

interface Row {
  readonly env: Record<string, string>;
  /** Members of the first line of the log, in addition to its address. */
  readonly line: Record<string, unknown>;
  readonly warnings?: string[];
}

const rows: Record<string, Row> = {
  'its version, its address and its store': {
    env: {},
    line: {
      level: 'info',
      version: expect.stringMatching(/^\d+\.\d+\.\d+-preview/),
      store: expect.stringMatching(/^memory, .*gone when the service stops$/),
      docs: expect.stringMatching(/^http:\/\/localhost:\d+\/docs$/),
      timetable: expect.stringMatching(/^http:\/\/localhost:\d+\/timetable$/),
      authentication: 'none',
      rate_limit: 'none',
      events: 'none',
      booking_schema: 'none',
      cors: 'none',
    },
  },
  'what is set, and which pages are off': {
    env: {
      HOST: '0.0.0.0',
      AUTH_API_KEYS_FILE: keys.path,
      BOOKING_SCHEMA_FILE: schema,
      RATE_LIMIT: '600',
      CORS_ORIGINS: 'https://app.example,https://desk.example',
      NODE_ENV: 'production',
      STORE: 'memory',
      SWAGGER_UI: 'false',
      TIMETABLE: 'false',
    },
    line: {
      authentication: `API keys of ${keys.path} (1)`,
      rate_limit: '600 in 60 s',
      booking_schema: schema,
      cors: 'https://app.example, https://desk.example',
      docs: 'none',
      timetable: 'none',
    },
  },
  'that authentication is off though other machines can reach it': {
    env: { HOST: '0.0.0.0' },
    line: { authentication: 'none' },
    warnings: ['Authentication is off, and the service listens on 0.0.0.0'],
  },
};

describe('The built service', () => {
  it.each(Object.entries(rows))('logs %s', async (_, { env, line, warnings = [] }) => {
    const service = await ServiceProcess.start(env);
    expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
    expect(await service.stop()).toEqual([0, null]);
    const msg = expect.stringMatching(/^Booking service \(preview\) on http:\/\/\S+:\d+$/) as unknown;
    expect(service.lines[0]).toMatchObject({ ...line, msg });
    const warned = service.lines.filter(({ level }) => level === 'warn').map((warning) => warning.msg);
    expect(warned.toSorted()).toEqual(warnings.map((text) => expect.stringContaining(text) as unknown));
    expect(service.lines.map((each) => each.msg).slice(-2)).toEqual(['Stopping', 'Stopped']);
  });

  it('logs the same in a readable format with LOG_FORMAT=pretty', async () => {
    const service = await ServiceProcess.start({ LOG_FORMAT: 'pretty' });
    await service.stop();
    const printed = service.output.join('\n');
    expect(printed).toMatch(/^\[[\d:.]+\] INFO: Booking service \(preview\) on http:\/\/localhost:\d+\n/);
    expect(printed).toContain('    store: "memory, ');
    expect(printed).toContain('INFO: Stopped');
  });

  it.each<[string, () => Record<string, string>, RegExp]>([
    [
      'its port is in use',
      () => ({ PORT: String(blocker.port) }),
      /HOST=.* and PORT=\d+ cannot be used \(.* address already in use .*\)\. Set another one\./,
    ],
    [
      'settings are wrong',
      () => ({ PORT: 'http', MEMORY_MAX_BOOKINGS: '0' }),
      /Bad settings: PORT .*; MEMORY_MAX_BOOKINGS .*/,
    ],
    ['its schema is invalid', () => ({ BOOKING_SCHEMA_FILE: thisFile }), /BOOKING_SCHEMA_FILE \(.*\): .*JSON.*/],
    ['its keys are invalid', () => ({ AUTH_API_KEYS_FILE: brokenKeys.path }), /the API keys of .*: line 1 is not .*/],
  ])('prints one line where %s, and exits with 1', (_, env, fault) => {
    const { status, stderr } = run('main', [], { PORT: '0', ...env() });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(`^The booking service cannot start: ${fault.source}\n$`),
    });
  });

  it('starts where its host makes it listen on a path in place of a port, as Passenger does', async () => {
    const path = join(temporaryFolder(), 'socket');
    const host = `import { Server } from 'node:net';
      const { listen } = Server.prototype;
      Server.prototype.listen = function () { return listen.call(this, ${JSON.stringify(path)}); };`;
    const flags = ['--import', `data:text/javascript,${encodeURIComponent(host)}`];
    const service = await ServiceProcess.start({ PORT: '3000' }, flags);
    expect(service.lines[0]).toMatchObject({ port: 3000 });
    expect(await service.stop()).toEqual([0, null]);
  });

  it('does not start as two workers of a cluster with bookings in memory: each would book a slot for itself', () => {
    const primary = `const { default: cluster } = await import('node:cluster');
      cluster.setupPrimary({ exec: ${JSON.stringify(programOf('main.js'))}, execArgv: [] });
      cluster.on('listening', () => process.exit());
      cluster.fork();
      cluster.fork();`;
    const env = { PORT: '0', STORE: 'memory' };
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', primary], {
      encoding: 'utf8',
      env,
    });
    expect(stderr.match(/cannot start: Bad settings: a worker of a cluster.* requires PostgreSQL/g)).toHaveLength(2);
  });
});

const run = (name: string, args: string[], env: Record<string, string> = {}) =>
  spawnSync(process.execPath, [programOf(`${name}.js`), ...args], { encoding: 'utf8', env });

it('The command for migrations migrates a database, leaves a newer one alone, and prints what it did', async () => {
  const database = await createTestDatabase();
  const migrate = (): string => run('cli/migrate', [], { DATABASE_URL: database.url }).stdout;
  expect(migrate()).toMatch(/^Applied 0001_\w+\.sql, .*\.\n$/);
  expect(migrate()).toBe('The schema is up to date.\n');
  await database.query(`INSERT INTO schema_migrations VALUES ('9999_later.sql', 'checksum')`);
  expect(migrate()).toBe(
    'The schema is up to date. Note that the schema is newer than this version: it has 9999_later.sql.\n',
  );
  await database.drop();
});

describe('The command for API keys', () => {
  it('makes a new token and its line each time, which the service accepts', async () => {
    const printed = ['bookings:read', 'bookings:write,bookings:read'].map((scopes) => {
      const { status, stdout } = run('cli/make-api-key', ['desk', '--scopes', scopes]);
      expect(status).toBe(0);
      const [, token, line] = /^ {2}(bookings_[\w-]{43})$[^]*^ {2}(desk sha256:\S+ \S+)$/m.exec(stdout)!;
      return { token: token!, line: line! };
    });
    const file = new ApiKeysFile(...printed);
    const service = await ServiceProcess.start({ AUTH_API_KEYS_FILE: file.path });
    const statuses = printed.map(async ({ token }) => {
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(`${service.url}/v1/bookings`, { method: 'POST', headers })).status;
    });
    expect(await Promise.all(statuses)).toEqual([403, 201]);
    await service.stop();
  });

  it.each([
    [['desk']],
    [['desk', '--scopes', 'bookings:delete']],
    [['desk', 'kiosk', '--scopes', 'bookings:read']],
    [['desk\nkiosk', '--scopes', 'bookings:read']],
  ])('prints its usage, and no token, for %j', (args) => {
    const { status, stdout, stderr } = run('cli/make-api-key', args);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Usage: api-key NAME --scopes SCOPE,/);
  });
});
