import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { Container } from 'kubernetes-types/core/v1.js';
import { commandsOf, LocalPostgres, MAJORS, programOf, ServiceProcess, temporaryFolder } from 'testing';
import { parse } from 'yaml';
import { psql, run, workspace } from './run-program.js';

const yamlOf = (file: string): unknown => parse(readFileSync(join(workspace, file), 'utf8'), { merge: true });
const folder = temporaryFolder();

it('Each alert is raised by its fault, and not before', () => {
  run('promtool', 'prometheus', ['test', 'rules', 'deploy/test/alerts.test.yml']);
});

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

function typeOf({ apiVersion, kind }: Manifest): string {
  const [group, version = group] = apiVersion.split('/');
  const module = version === group ? `core/${group}` : `${group!.replace('.k8s.io', '')}/${version}`;
  return `import('kubernetes-types/${module}.js').${kind}`;
}

it('The manifests, and that of docs/runbook.md, match the types of Kubernetes, without unknown members', () => {
  const { resources } = yamlOf('deploy/kubernetes/kustomization.yaml') as { resources: string[] };
  const [command] = commandsOf('runbook.md', 'As the owner, on Kubernetes');
  const [, overrides] = /--overrides='([^']*)'/.exec(command!)!;
  const manifests = [
    ...resources.map((file) => yamlOf(`deploy/kubernetes/${file}`) as Manifest),
    { apiVersion: 'v1', kind: 'Pod', ...(JSON.parse(overrides!) as object) },
  ];
  const lines = manifests.map((manifest, n) => `const m${n}: ${typeOf(manifest)} = ${JSON.stringify(manifest)};`);
  // Beside the packages that it imports.
  const file = join(import.meta.dirname, `manifests-${process.pid}.ts`);
  writeFileSync(file, lines.join('\n'));
  const flags = ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig', '--module', 'nodenext', '--types', ''];
  const tsc = join(workspace, 'deploy/node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, ...flags, file], { encoding: 'utf8' });
  rmSync(file);
  expect(stdout).toBe('');
});

it('nginx accepts the file of the load balancer', () => {
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, `pid nginx.pid; events {} http { include ${workspace}/deploy/load-balancer.conf; }`);
  run('nginx', 'nginx-light', ['-t', '-q', '-p', folder, '-c', file]);
});

interface Program {
  readonly command: readonly string[];
  readonly env: Record<string, string>;
}

/** Migrates and serves as an example does. @returns the status of a create */
async function tryExample(migration: Program, { env }: Program, headers = {}): Promise<number> {
  const [node, program, ...words] = migration.command;
  expect([node, program]).toEqual(['node', 'dist/cli/migrate.js']);
  execFileSync(process.execPath, [programOf('cli/migrate.js'), ...words], { env: migration.env });
  const service = await ServiceProcess.start(env);
  const request = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: '{}' };
  const { status } = await fetch(`${service.url}/v1/bookings`, request);
  await service.stop();
  return status;
}

it.each(MAJORS)(
  'An administrator without superuser rights creates the roles on PostgreSQL %s, however often: the service books, the desk deletes',
  async (major) => {
    const postgres = await LocalPostgres.start(undefined, [], { major });
    const url = (role: string, database: string): string => postgres.url(database).replace('postgres@', `${role}@`);
    psql('-c', 'CREATE ROLE administrator LOGIN CREATEROLE CREATEDB', postgres.url('postgres'));
    const createRoles = ['--file', 'deploy/create-roles.sql', url('administrator', 'postgres')];
    psql(...createRoles);
    psql(...createRoles);
    const command = ['node', 'dist/cli/migrate.js', '--grant-to', 'bookings'];
    const migration = { command, env: { DATABASE_URL: url('bookings_owner', 'bookings') } };
    const env = { DATABASE_URL: url('bookings', 'bookings'), DATABASE_MIGRATE_AT_START: 'false' };
    expect(await tryExample(migration, { command: [], env })).toBe(201);
    run('psql', 'postgresql-client', createRoles, { env: { BOOKINGS_DESK_PASSWORD: 'secret-3' } });
    psql('-c', 'ALTER DATABASE bookings SET synchronous_commit = off', postgres.url('postgres'));
    expect(psql('-Atc', 'SHOW synchronous_commit', url('bookings_desk', 'bookings'))).toBe('on\n');
    psql('-c', 'DELETE FROM bookings', url('bookings_desk', 'bookings'));
    const rightsOfDesk = `SELECT table_name, privilege_type FROM information_schema.role_table_grants
      WHERE grantee = 'bookings_desk' ORDER BY 2`;
    expect(psql('-Atc', rightsOfDesk, postgres.url('bookings'))).toBe('bookings|DELETE\nbookings|SELECT\n');
    await postgres.stop();
  },
);

describe('The service, with the settings of', () => {
  let postgres: LocalPostgres;

  beforeAll(async () => (postgres = await LocalPostgres.start()));
  afterAll(() => postgres.stop());
  beforeEach(() => psql('--file', 'deploy/create-roles.sql', postgres.url('postgres')));

  const url = (role: string): string => postgres.url('bookings').replace('postgres@', `${role}:any@`);

  function expectLeastPrivilege(): void {
    const rights = `
      SELECT rolname, rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls,
        rolname = tableowner, has_table_privilege(rolname, 'bookings', 'UPDATE, DELETE')
      FROM pg_roles, pg_tables WHERE rolname LIKE 'bookings%' AND tablename = 'bookings' ORDER BY 1`;
    expect(psql('-Atc', rights, postgres.url('bookings'))).toBe('bookings|f|f|f\nbookings_owner|f|t|t\n');
  }

  it('compose.yaml books, with a role that can change no booking', async () => {
    const { services } = yamlOf('compose.yaml') as {
      services: Record<string, { command?: string[]; environment: Record<string, string> }>;
    };
    const programOfService = (name: string): Program => {
      const { command = [], environment } = services[name]!;
      const [, role] = /^postgres:\/\/(\w+):/.exec(environment['DATABASE_URL']!)!;
      return { command, env: { ...environment, DATABASE_URL: url(role!) } };
    };
    expect(await tryExample(programOfService('migrate'), programOfService('api'))).toBe(201);
    expectLeastPrivilege();
  });

  it('deploy/kubernetes books for callers with a token, with a role that can change no booking', async () => {
    const { spec } = (yamlOf('deploy/kubernetes/deployment.yaml') as Deployment).spec!.template;
    const keysFile = join(folder, 'api-keys');
    const digest = createHash('sha256').update('a-token').digest('hex');
    writeFileSync(keysFile, `desk sha256:${digest} bookings:read,bookings:write\n`);
    const values: Record<string, string> = { 'owner-url': url('bookings_owner'), url: url('bookings') };
    const programOfContainer = ({ command = [], env = [] }: Container): Program => {
      const entries = env.map(({ name, value, valueFrom }) => [name, value ?? values[valueFrom!.secretKeyRef!.key]]);
      return { command, env: Object.fromEntries(entries) as Record<string, string> };
    };
    const migration = programOfContainer(spec!.initContainers![0]!);
    const service = programOfContainer(spec!.containers[0]!);
    expect(service.env['AUTH_API_KEYS_FILE']).toBe('/etc/booking-service/api-keys');
    expect(Number(service.env['KEEP_ALIVE_TIMEOUT_MS'])).toBeGreaterThan(60_000);
    service.env['AUTH_API_KEYS_FILE'] = keysFile;
    expect(await tryExample(migration, service)).toBe(401);
    expect(await tryExample(migration, service, { Authorization: 'Bearer a-token' })).toBe(201);
    expectLeastPrivilege();
  });
});
