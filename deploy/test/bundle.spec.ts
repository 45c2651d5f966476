import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalPostgres, ServiceProcess } from 'testing';
import { parse } from 'yaml';

const workspace = join(import.meta.dirname, '../..');
/** Writing a file and starting a program are errors. */
const NOTHING_BUT_READING = process.allowedNodeEnvironmentFlags.has('--permission')
  ? ['--permission', '--allow-fs-read=*']
  : ['--experimental-permission', '--allow-fs-read=*'];
// Since Node 25, the network must be allowed too.
if (process.allowedNodeEnvironmentFlags.has('--allow-net')) NOTHING_BUT_READING.push('--allow-net');

/** Types that OpenTelemetry's packages depend on. */
const OF_INSTRUMENTATION = new Set(['@types/node', '@types/pg', '@types/pg-pool']);
/** Licences that allow a service under MIT to ship a package, if its notice is kept. */
const ALLOWED = new Set(['MIT', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0']);
/** About 13 MB are OpenTelemetry, which is loaded only if tracing is on. */
const MAX_MEGABYTES = 60;

describe('The bundle', () => {
  let parent: string;
  let bundle: string;
  let printed: string;

  beforeAll(() => {
    parent = mkdtempSync(join(tmpdir(), 'bundle-'));
    const made = join(parent, 'made');
    printed = execFileSync(process.execPath, [join(workspace, 'deploy/bundle.js'), made], { encoding: 'utf8' });
    bundle = join(parent, 'copied');
    cpSync(made, bundle, { recursive: true, verbatimSymlinks: true });
    rmSync(made, { recursive: true });
  });
  afterAll(() => rmSync(parent, { recursive: true, force: true }));

  it('runs from a copied folder with nothing in its environment, and only reads files', async () => {
    const program = join(bundle, 'dist/main.js');
    const service = await ServiceProcess.start({ NODE_ENV: 'production' }, NOTHING_BUT_READING, program);
    try {
      const { url } = service;
      expect((await fetch(`${url}/health/ready`)).status).toBe(200);
      for (const page of ['docs', 'timetable', 'timetable/timetable.js']) {
        expect((await fetch(`${url}/${page}`)).status).toBe(200);
      }
      const slot = { resource_id: 'room-7', start: '2026-12-01T09:00:00Z', end: '2026-12-01T10:00:00Z' };
      const headers = { 'Content-Type': 'application/json' };
      const created = await fetch(`${url}/v1/bookings`, { method: 'POST', headers, body: JSON.stringify({ slot }) });
      expect(created.status).toBe(201);
    } finally {
      expect(await service.stop()).toEqual([0, null]);
    }
  });

  it('has the migrations and the program that applies them', () => {
    expect(existsSync(join(bundle, 'dist/cli/migrate.js'))).toBe(true);
    expect(readdirSync(join(bundle, 'migrations'))).toEqual(readdirSync(join(workspace, 'apps/api/migrations')));
  });

  it('has no packages and programs for development', () => {
    const { devDependencies } = readJson(join(workspace, 'apps/api/package.json')) as {
      devDependencies: Record<string, string>;
    };
    const names = packagesIn(bundle).map((versioned) => versioned.slice(0, versioned.lastIndexOf('@')));
    expect(names).toContain('express');
    const unwanted = names.filter((name) => name in devDependencies || name.startsWith('@types/'));
    expect(unwanted.filter((name) => !OF_INSTRUMENTATION.has(name))).toEqual([]);
    expect(existsSync(join(bundle, 'dist/dev'))).toBe(false);
  });

  it('has the versions of the lockfile', () => {
    const lockfile = parse(readFileSync(join(workspace, 'pnpm-lock.yaml'), 'utf8')) as { packages: object };
    const unknown = packagesIn(bundle).filter((versioned) => !(versioned in lockfile.packages) && !isOurs(versioned));
    expect(unknown).toEqual([]);
  });

  it('lists every package that it holds, with a licence that the one of the service allows', () => {
    const listed = thirdPartyOf(bundle);
    for (const name of ['express', 'pg', '@nestjs/core', '@opentelemetry/sdk-node']) {
      expect(listed).toContainEqual({ name, version: expect.stringMatching(/^\d/), license: expect.any(String) });
    }
    const versioned = listed.map(({ name, version }) => `${name}@${version}`);
    expect(packagesIn(bundle).filter((held) => !isOurs(held) && !versioned.includes(held))).toEqual([]);
    expect(versioned.filter((held) => !packagesIn(bundle).includes(held))).toEqual([]);
    expect(bundledIn(join(bundle, 'dist')).filter((held) => !versioned.includes(held))).toEqual([]);
    expect(listed.filter(({ license }) => !ALLOWED.has(license))).toEqual([]);
  });

  it(`prints its size, which is below ${MAX_MEGABYTES} MB`, () => {
    expect(megabytesIn(printed)).toBeGreaterThan(10);
    expect(megabytesIn(printed)).toBeLessThan(MAX_MEGABYTES);
  });

  it('is smaller by a quarter without traces, and then refuses to start with tracing', async () => {
    const small = join(parent, 'small');
    const made = execFileSync(process.execPath, [join(workspace, 'deploy/bundle.js'), small, '--without-traces'], {
      encoding: 'utf8',
    });
    expect(megabytesIn(made)).toBeLessThan(0.75 * megabytesIn(printed));
    const ofTraces = thirdPartyOf(small).filter(({ name }) => /^@opentelemetry\/(?!api$)/.test(name));
    expect(ofTraces).toEqual([]);
    const program = join(small, 'dist/main.js');
    const service = await ServiceProcess.start({}, NOTHING_BUT_READING, program);
    expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
    await service.stop();
    const env = { PORT: '0', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };
    const { status, stderr } = spawnSync(process.execPath, [program], { env, encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^The booking service cannot start: OTEL_\* variables turn tracing on, .*\n$/);
  });

  it('is not written to a folder with files', () => {
    const program = [join(workspace, 'deploy/bundle.js'), bundle];
    expect(() => execFileSync(process.execPath, program, { stdio: 'pipe' })).toThrow(/is not empty/);
  });

  it.each([
    ['package.json', 'is a file. Choose a folder that is empty or does not exist yet.'],
    ['package.json/bundle', 'cannot be created: ENOTDIR. Choose another folder.'],
  ])('is not written over a file, with one line that says so: %s', (name, line) => {
    const file = join(bundle, name);
    const { status, stderr } = spawnSync(process.execPath, [join(workspace, 'deploy/bundle.js'), file], {
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toBe(`${file} ${line}\n`);
  });

  it('names the program that applies missing migrations, which the bundle has', async () => {
    const data = mkdtempSync(join(tmpdir(), 'bundle-data-'));
    const postgres = await LocalPostgres.start(data);
    const run = (program: string) =>
      spawnSync(process.execPath, [program], {
        cwd: bundle,
        env: { DATABASE_URL: postgres.url('postgres'), DATABASE_MIGRATE_AT_START: 'false', PORT: '0' },
        encoding: 'utf8',
      });
    try {
      const { stderr } = run('dist/main.js');
      const [, advised] = /Run `node (\S+)` in the folder of the service first\.\n$/.exec(stderr)!;
      expect(run(advised!)).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Applied 0001_/) });
    } finally {
      await postgres.stop();
      rmSync(data, { recursive: true });
    }
  });
});

function megabytesIn(output: string): number {
  return Number(/: ([\d.]+) MB\n/.exec(output)![1]);
}

/** `name@version` of every package below the folder, from the names of the folders that pnpm keeps them in. */
function packagesIn(folder: string): string[] {
  return readdirSync(join(folder, 'node_modules/.pnpm'))
    .filter((entry) => entry.includes('@'))
    .map((entry) => (/^(@?[^@]+@[^_]+)/.exec(entry)?.[1] ?? entry).replace('+', '/'));
}

function isOurs(versioned: string): boolean {
  return /^@booking-service\/|@file/.test(versioned);
}

/** `name@version` of every package of which a bundled program has a part, from the comments of the bundler. */
function bundledIn(dist: string): string[] {
  const programs = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  const held = programs.flatMap((name) => {
    const comments = readFileSync(join(dist, name), 'utf8').matchAll(/^\/\/ \S*\/\.pnpm\/(@?[^@\s]+@[^_/\s]+)/gm);
    return [...comments].map(([, versioned]) => versioned!.replace('+', '/'));
  });
  expect(held).toContainEqual(expect.stringMatching(/^express@/));
  return [...new Set(held)];
}

function thirdPartyOf(folder: string): { name: string; version: string; license: string }[] {
  const rows = readFileSync(join(folder, 'THIRD-PARTY.md'), 'utf8').matchAll(/^\| (\S+) \| (\d\S*) \| (.*) \|$/gm);
  return [...rows].map(([, name, version, license]) => ({ name: name!, version: version!, license: license! }));
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}
