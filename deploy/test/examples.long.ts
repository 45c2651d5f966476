import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { Container } from 'kubernetes-types/core/v1.js';
import { Client } from 'pg';
import { LocalPostgres, programOf, ServiceProcess } from 'testing';
import { parse } from 'yaml';
import { requireProgram } from './require-program.js';

const workspace = join(import.meta.dirname, '../..');
const read = (file: string): unknown => parse(readFileSync(join(workspace, file), 'utf8'), { merge: true });
const passwords = { BOOKINGS_OWNER_PASSWORD: "it's 1", BOOKINGS_PASSWORD: 'secret-2' };

interface Program {
  readonly command: readonly string[];
  readonly env: Record<string, string>;
}

describe('The service, with the settings of', () => {
  const folder = mkdtempSync(join(tmpdir(), 'examples-'));
  const keysFile = join(folder, 'api-keys');
  let postgres: LocalPostgres;
  let key: string;

  beforeAll(async () => {
    requireProgram('psql', 'postgresql-client');
    postgres = await LocalPostgres.start(folder);
    const created = execFileSync(process.execPath, [
      programOf('cli/make-api-key.js'),
      'desk',
      '--scopes=bookings:read,bookings:write',
    ]).toString();
    key = /\bbookings_\S+/.exec(created)![0];
    writeFileSync(keysFile, /desk +sha256:.*$/m.exec(created)![0]);
  });
  beforeEach(() => createRoles());
  afterEach(async () => {
    await query('postgres', 'DROP DATABASE bookings WITH (FORCE)');
    await query('postgres', 'DROP ROLE bookings, bookings_owner');
  });
  afterAll(async () => {
    await postgres.stop();
    rmSync(folder, { recursive: true });
  });

  function createRoles(): void {
    const { status, stderr } = spawnSync('psql', ['--file', 'deploy/create-roles.sql', postgres.url('postgres')], {
      cwd: workspace,
      env: { PATH: process.env['PATH'], ...passwords },
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  }

  async function query<Row>(database: string, sql: string): Promise<Row[]> {
    const client = new Client({ connectionString: postgres.url(database) });
    await client.connect();
    try {
      return (await client.query(sql)).rows as Row[];
    } finally {
      await client.end();
    }
  }

  /** The status of a create by a service that was migrated and started as the example has it. */
  async function tryExample(migration: Program, { env }: Program, headers: Record<string, string>): Promise<number> {
    const [node, program, ...words] = migration.command;
    expect([node, program]).toEqual(['node', 'dist/cli/migrate.js']);
    execFileSync(process.execPath, [programOf('cli/migrate.js'), ...words], { env: migration.env });
    const service = await ServiceProcess.start(env);
    try {
      const body = JSON.stringify({ guest: 'Ada' });
      const request = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body };
      return (await fetch(`${service.url}/v1/bookings`, request)).status;
    } finally {
      await service.stop();
    }
  }

  const url = (role: string): string => postgres.url('bookings').replace('postgres@', `${role}:any@`);

  async function expectLeastPrivilege(): Promise<void> {
    const roles = `SELECT rolname, rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls AS is_more
      FROM pg_roles WHERE rolname LIKE 'bookings%' ORDER BY 1`;
    expect(await query('postgres', roles)).toEqual([
      { rolname: 'bookings', is_more: false },
      { rolname: 'bookings_owner', is_more: false },
    ]);
    const rights = `SELECT tableowner, has_table_privilege('bookings', 'bookings', 'UPDATE')
      OR has_table_privilege('bookings', 'bookings', 'DELETE') AS may_change FROM pg_tables WHERE tablename = 'bookings'`;
    expect(await query('bookings', rights)).toEqual([{ tableowner: 'bookings_owner', may_change: false }]);
  }

  it('compose.yaml books, with a role that can change no booking', async () => {
    const { services } = read('compose.yaml') as {
      services: Record<string, { command?: string[]; environment: Record<string, string> }>;
    };
    const programOfService = (name: string): Program => {
      const { command = [], environment } = services[name]!;
      const [, role] = /^postgres:\/\/(\w+):/.exec(environment['DATABASE_URL']!)!;
      return { command, env: { ...environment, DATABASE_URL: url(role!) } };
    };
    expect(await tryExample(programOfService('migrate'), programOfService('api'), {})).toBe(201);
    await expectLeastPrivilege();
    // What compose does with each `up`.
    createRoles();
  });

  it('deploy/kubernetes books for callers with a token, with a role that can change no booking', async () => {
    const { initContainers, containers } = (read('deploy/kubernetes/deployment.yaml') as Deployment).spec!.template
      .spec!;
    const urls: Record<string, string> = { 'owner-url': url('bookings_owner'), url: url('bookings') };
    const programOfContainer = ({ command = [], env = [] }: Container): Program => {
      const values = env.map(({ name, value, valueFrom }) => [name, value ?? urls[valueFrom!.secretKeyRef!.key]]);
      return { command, env: Object.fromEntries(values) as Record<string, string> };
    };
    const migration = programOfContainer(initContainers![0]!);
    const service = programOfContainer(containers[0]!);
    expect(service.env['AUTH_API_KEYS_FILE']).toBe('/etc/booking-service/api-keys');
    expect(Number(service.env['KEEP_ALIVE_TIMEOUT_MS'])).toBeGreaterThan(60_000);
    const withKeys = { ...service, env: { ...service.env, AUTH_API_KEYS_FILE: keysFile } };
    expect(await tryExample(migration, withKeys, {})).toBe(401);
    expect(await tryExample(migration, withKeys, { Authorization: `Bearer ${key}` })).toBe(201);
    await expectLeastPrivilege();
    // After `kubectl rollout undo`, on the schema of a newer version.
    await query('bookings', `INSERT INTO schema_migrations VALUES ('9999_later.sql', '')`);
    expect(await tryExample(migration, withKeys, { Authorization: `Bearer ${key}` })).toBe(201);
  });
});
