import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { runConformance } from '@booking-service/conformance';
import { createTestDatabase, failToStart, ServiceProcess } from 'testing';
import { anApiKey, ApiKeysFile } from './support/api-keys.js';

describe('The built service', () => {
  it('logs its version, its address and its store in one line', async () => {
    const service = await ServiceProcess.start();
    expect((await fetch(`${service.url}/v1/bookings`)).status).toBe(200);
    expect(await service.stop()).toEqual([0, null]);
    expect(service.lines[0]).toMatchObject({
      level: 'info',
      msg: expect.stringMatching(/^Booking service \(preview\) on http:\/\/localhost:\d+$/),
      version: expect.stringMatching(/^\d+\.\d+\.\d+-preview/),
      store: expect.stringMatching(/^memory, .*gone when the service stops$/),
      docs: `http://localhost:${new URL(service.url).port}/docs`,
      timetable: `http://localhost:${new URL(service.url).port}/timetable`,
    });
    expect(service.lines.map(({ msg }) => msg).slice(1)).toEqual(['Stopping', 'Stopped']);
  });

  it('does not log pages that are turned off', async () => {
    const service = await ServiceProcess.start({ SWAGGER_UI: 'false', TIMETABLE: 'false' });
    await service.stop();
    expect(service.lines[0]).not.toHaveProperty('docs');
    expect(service.lines[0]).not.toHaveProperty('timetable');
  });

  it('passes every level of the conformance kit as a bundle', async () => {
    const service = await ServiceProcess.start();
    const { results, passed } = await runConformance({ url: service.url });
    await service.stop();
    expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(passed).toBeGreaterThan(100);
  });

  it('logs the same in a readable format with LOG_FORMAT=pretty', async () => {
    const service = await ServiceProcess.start({ LOG_FORMAT: 'pretty' });
    await service.stop();
    const printed = service.output.join('\n');
    expect(printed).toMatch(/^\[[\d:.]+\] INFO: Booking service \(preview\) on http:\/\/localhost:\d+\n/);
    expect(printed).toContain('    store: "memory, ');
    expect(printed).toContain('INFO: Stopped');
  });

  it('prints one line if its port is in use, and exits with 1', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as AddressInfo;
    const { code, stderr } = await failToStart({ PORT: String(port) }).finally(() => blocker.close());
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The booking service cannot start: the address is in use\. .*\n$/);
  });

  it.each([
    // A name of a domain that is reserved for this (RFC 2606 §2), and an address for documentation (RFC 5737).
    ['no.such.host.invalid', /^The booking service cannot start: HOST cannot be resolved.* \(.*\)\.\n$/],
    ['192.0.2.1', /^The booking service cannot start: HOST is not an address of this machine \(.*\)\.\n$/],
  ])('names HOST in one line where it cannot listen on %s, and exits with 1', async (host, line) => {
    const { code, stderr } = await failToStart({ PORT: '0', HOST: host });
    expect(code).toBe(1);
    expect(stderr).toMatch(line);
  });

  it('prints the faults of its settings in one line, and exits with 1', async () => {
    const { code, stderr } = await failToStart({ PORT: 'http', MEMORY_MAX_BOOKINGS: '0' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The booking service cannot start: Bad settings: PORT .*; MEMORY_MAX_BOOKINGS .*\n$/);
  });

  it('logs its booking schema', async () => {
    const file = fileURLToPath(new URL('../../../examples/booking-schema/dinner.schema.json', import.meta.url));
    const service = await ServiceProcess.start({ BOOKING_SCHEMA_FILE: file });
    await service.stop();
    expect(service.lines[0]).toMatchObject({ booking_schema: file });
  });

  it('prints the fault of its booking schema in one line, and exits with 1', async () => {
    const { code, stderr } = await failToStart({ PORT: '0', BOOKING_SCHEMA_FILE: fileURLToPath(import.meta.url) });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The booking service cannot start: BOOKING_SCHEMA_FILE \(.*\): .*JSON.*\n$/);
  });

  it.each([
    ['0.0.0.0', true],
    ['127.0.0.1', false],
    ['localhost', false],
    ['::1', false],
  ])('warns in one line that authentication is off if other machines can reach it: %s', async (host, warns) => {
    const service = await ServiceProcess.start({ HOST: host });
    await service.stop();
    expect(service.lines[0]).toMatchObject({ authentication: 'none' });
    const warnings = service.lines.filter(({ level }) => level === 'warn').map(({ msg }) => msg.split(':')[0]);
    expect(warnings).toEqual(warns ? ['Authentication is off, and the service listens on 0.0.0.0'] : []);
  });

  it('warns in one line that bookings will be lost in production without STORE', async () => {
    const warningsOf = async (env: Record<string, string>): Promise<string[]> => {
      const service = await ServiceProcess.start({ NODE_ENV: 'production', ...env });
      await service.stop();
      return service.lines.filter(({ level }) => level === 'warn').map(({ msg }) => msg);
    };
    expect(await warningsOf({ DATABSE_URL: 'postgres://host/bookings' })).toEqual([
      'Bookings are kept in memory and are lost when the service stops. Set DATABASE_URL, or STORE=memory if this is intended.',
    ]);
    expect(await warningsOf({ STORE: 'memory' })).toEqual([]);
  });

  it('logs which tokens it accepts, and has no warning then', async () => {
    const file = new ApiKeysFile(anApiKey('desk'));
    const service = await ServiceProcess.start({ HOST: '0.0.0.0', AUTH_API_KEYS_FILE: file.path });
    await service.stop();
    file.remove();
    expect(service.lines[0]).toMatchObject({ authentication: `API keys of ${file.path} (1)` });
    expect(service.lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  it('prints the fault of its file of API keys in one line, and exits with 1', async () => {
    const file = new ApiKeysFile();
    file.write('desk', '', 'kiosk');
    const { code, stderr } = await failToStart({ PORT: '0', AUTH_API_KEYS_FILE: file.path });
    file.remove();
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^The booking service cannot start: the API keys of .*: line 1 is not .*; line 3 is not .*\n$/,
    );
  });
});

describe('The built command for migrations', () => {
  it('migrates the schema of a database, leaves a newer one alone, and prints what it did', async () => {
    const command = fileURLToPath(new URL('../dist/cli/migrate.js', import.meta.url));
    const database = await createTestDatabase();
    const env = { DATABASE_URL: database.url };
    const migrate = (): string => execFileSync(process.execPath, [command], { env, encoding: 'utf8' });
    try {
      expect(migrate()).toMatch(/^Applied 0001_\w+\.sql, .*\.\n$/);
      expect(migrate()).toBe('The schema is up to date.\n');
      await database.query(`INSERT INTO schema_migrations VALUES ('9999_later.sql', 'checksum')`);
      expect(migrate()).toBe('The schema is up to date. It also has 9999_later.sql of a newer version.\n');
    } finally {
      await database.drop();
    }
  });
});

describe('The built command for API keys', () => {
  const command = fileURLToPath(new URL('../dist/cli/make-api-key.js', import.meta.url));
  const make = (...args: string[]) => spawnSync(process.execPath, [command, ...args], { encoding: 'utf8' });

  it('makes a new token and its line each time, which the service accepts', async () => {
    const printed = ['bookings:read', 'bookings:write,bookings:read'].map((scopes) => {
      const { status, stdout } = make('desk', '--scopes', scopes);
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
    file.remove();
  });

  it.each([
    [[]],
    [['desk']],
    [['--scopes', 'bookings:read']],
    [['desk', '--scopes', 'bookings:delete']],
    [['desk', 'kiosk', '--scopes', 'bookings:read']],
    [['#desk', '--scopes', 'bookings:read']],
    [['desk\nkiosk', '--scopes', 'bookings:read']],
    [['desk', '--scope', 'bookings:read']],
  ])('prints its usage, and no token, for %j', (args) => {
    const { status, stdout, stderr } = make(...args);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Usage: api-key NAME --scopes SCOPE,/);
  });
});
