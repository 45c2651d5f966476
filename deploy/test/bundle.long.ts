import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceProcess, temporaryFolder } from 'testing';

const workspace = join(import.meta.dirname, '../..');
const program = join(workspace, 'deploy/bundle.js');
/** Flags that forbid a process to write files and to start programs. */
const NOTHING_BUT_READING = process.allowedNodeEnvironmentFlags.has('--permission')
  ? ['--permission', '--allow-fs-read=*']
  : ['--experimental-permission', '--allow-fs-read=*'];
// The network needs permission as well since Node 25.
if (process.allowedNodeEnvironmentFlags.has('--allow-net')) NOTHING_BUT_READING.push('--allow-net');

/** Licenses that permit distribution under MIT with a notice. */
const ALLOWED = new Set(['MIT', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0']);

describe('The bundle', () => {
  const bundle = temporaryFolder();

  beforeAll(() => {
    const made = temporaryFolder();
    execFileSync(process.execPath, [program, made]);
    cpSync(made, bundle, { recursive: true, verbatimSymlinks: true });
    rmSync(made, { recursive: true });
  });

  it('books from a copied folder with nothing in its environment, and only reads files', async () => {
    const env = { NODE_ENV: 'production', STORE: 'memory' };
    const service = await ServiceProcess.start(env, NOTHING_BUT_READING, join(bundle, 'dist/main.js'));
    for (const page of ['health/ready', 'docs', 'timetable', 'openapi.json'])
      expect([page, (await fetch(`${service.url}/${page}`)).status]).toEqual([page, 200]);
    const headers = { 'Content-Type': 'application/json' };
    const created = await fetch(`${service.url}/v1/bookings`, { method: 'POST', headers, body: '{}' });
    expect(created.status).toBe(201);
    expect(await service.stop()).toEqual([0, null]);
  });

  it('has the SQL of the roles, the migrations and the program that applies them', () => {
    expect(readdirSync(bundle)).toContain('create-roles.sql');
    expect(readdirSync(join(bundle, 'dist/cli'))).toContain('migrate.js');
    expect(readdirSync(join(bundle, 'migrations'))).toEqual(readdirSync(join(workspace, 'apps/api/migrations')));
  });

  it('lists its packages, with licenses that MIT allows', () => {
    const rows = readFileSync(join(bundle, 'THIRD-PARTY.md'), 'utf8').matchAll(/^\| (\S+) \| (\d\S*) \| (.*) \|$/gm);
    const listed = [...rows].map(([, name, version, license]) => ({ held: `${name}@${version}`, license: license! }));
    const names = listed.map(({ held }) => held);
    expect(names).toContainEqual(expect.stringMatching(/^express@/));
    expect(packagesIn(bundle).filter((held) => !names.includes(held))).toEqual([]);
    expect(listed.filter(({ license }) => !ALLOWED.has(license))).toEqual([]);
  });

  it('is not written to a folder with files', () => {
    const { status, stderr } = spawnSync(process.execPath, [program, bundle], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(/^.* is not empty\. .*\n$/) });
  });
});

/** `name@version` of every third-party package, from the names of pnpm's folders. */
function packagesIn(folder: string): string[] {
  return readdirSync(join(folder, 'node_modules/.pnpm'))
    .filter((entry) => entry.includes('@'))
    .map((entry) => (/^(@?[^@]+@[^_]+)/.exec(entry)?.[1] ?? entry).replace('+', '/'))
    .filter((versioned) => !/^@booking-service\/|@file/.test(versioned));
}
