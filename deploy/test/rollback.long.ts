import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import { LocalPostgres, ServiceProcess } from 'testing';
import { parse } from 'yaml';

const workspace = join(import.meta.dirname, '../..');
const api = join(workspace, 'apps/api');

/** The first commit that can run on a newer schema: the previous release, as long as none is tagged. */
const FIRST_COMMIT = '9170fb4f32eff4fac8e9081b19f7ecbad3daacf3';

const git = (...args: string[]) => spawnSync('git', args, { cwd: workspace, encoding: 'utf8' });

/** @throws Error if the history does not reach that far */
function previousRelease(): string {
  const isShallow = git('rev-parse', '--is-shallow-repository').stdout.trim() !== 'false';
  const tag = git('describe', '--tags', '--abbrev=0', '--match=v*', 'HEAD^').stdout.trim();
  const commit = tag || FIRST_COMMIT;
  if (isShallow || git('cat-file', '-e', `${commit}^{commit}`).status !== 0) {
    throw new Error(
      'The previous release is built from the history, which is incomplete: git fetch --unshallow --tags',
    );
  }
  return commit;
}

/** Folders of the previous release: its sources, and the bundle that was made of them. */
function build(parent: string): { source: string; bundle: string } {
  const [source, bundle] = [join(parent, 'source'), join(parent, 'bundle')];
  const archive = join(parent, 'source.tar');
  mkdirSync(source);
  const commands: [string, ...string[]][] = [
    ['git', 'archive', `--output=${archive}`, previousRelease()],
    ['tar', '-xf', archive, '-C', source],
    ['pnpm', '--dir', source, 'install', '--frozen-lockfile', '--prefer-offline'],
    ['pnpm', '--dir', source, '--filter', '@booking-service/conformance...', 'build'],
    ['pnpm', '--dir', source, 'bundle', bundle],
  ];
  for (const [program, ...args] of commands) execFileSync(program, args, { cwd: workspace, stdio: 'pipe' });
  return { source, bundle };
}

/** The folder of a service like this one that has one more migration. */
function withMigration(parent: string, oldest: string): string {
  const folder = join(parent, `newer-than-${oldest}`);
  for (const part of ['dist', 'migrations', 'package.json']) {
    cpSync(join(api, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(api, 'node_modules'), join(folder, 'node_modules'));
  const sql = 'ALTER TABLE bookings ADD COLUMN later text;\nCREATE INDEX bookings_later ON bookings (later);\n';
  writeFileSync(join(folder, 'migrations/9999_later.sql'), `-- oldest: ${oldest}\n${sql}`);
  return folder;
}

const lastMigration = (folder: string): string =>
  readdirSync(join(folder, 'migrations')).toSorted().at(-1)!.slice(0, 4);

describe('The previous release', () => {
  const parent = mkdtempSync(join(tmpdir(), 'rollback-'));
  // Its own: PostgreSQL may run as another user.
  const data = mkdtempSync(join(tmpdir(), 'rollback-data-'));
  let postgres: LocalPostgres;
  let source: string;
  let bundle: string;

  beforeAll(async () => {
    ({ source, bundle } = build(parent));
    postgres = await LocalPostgres.start(data);
  }, 600_000);
  afterAll(async () => {
    await postgres?.stop();
    for (const folder of [parent, data]) rmSync(folder, { recursive: true, force: true });
  });

  const run = (folder: string, program: string, env: Record<string, string>) =>
    spawnSync(process.execPath, [join(folder, program)], { cwd: folder, env, encoding: 'utf8' });

  /** What its pods run before the service. */
  const migrate = (): string => {
    const manifest = readFileSync(join(source, 'deploy/kubernetes/deployment.yaml'), 'utf8');
    return (parse(manifest) as Deployment).spec!.template.spec!.initContainers![0]!.command![1]!;
  };

  async function database(name: string): Promise<Record<string, string>> {
    await postgres.createDatabase(name);
    return { DATABASE_URL: postgres.url(name), DATABASE_MIGRATE_AT_START: 'false', PORT: '0' };
  }

  it('keeps the interface on the newest schema, and a schema that is newer by one more migration', async () => {
    const env = await database('compatible');
    const newer = withMigration(parent, lastMigration(bundle));
    expect(run(newer, 'dist/cli/migrate.js', env)).toMatchObject({ status: 0 });
    expect(run(bundle, migrate(), env)).toMatchObject({ status: 0, stderr: '' });
    const service = await ServiceProcess.start(env, [], join(bundle, 'dist/main.js'));
    try {
      const kit = spawn(process.execPath, [
        join(source, 'packages/conformance/bin/bookings-conformance.js'),
        service.url,
      ]);
      const [[status], printed] = await Promise.all([once(kit, 'exit'), text(kit.stdout)]);
      expect({ status, failed: printed.match(/^ +FAIL .*$/gm) }).toEqual({ status: 0, failed: null });
    } finally {
      await service.stop();
    }
    expect(run(newer, 'dist/cli/migrate.js', env).stdout).toBe('The schema is up to date.\n');
  });

  it('is refused with one line on a schema that it cannot run on', async () => {
    const env = await database('incompatible');
    const newer = withMigration(parent, '9999');
    expect(run(newer, 'dist/cli/migrate.js', env)).toMatchObject({ status: 0 });
    expect(run(bundle, migrate(), env)).toMatchObject({ status: 0, stderr: '' });
    expect(run(bundle, 'dist/main.js', env)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^The booking service cannot start: the database has .*9999_later\.sql, .*\n$/),
    });
  });
});
