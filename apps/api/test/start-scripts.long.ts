import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { temporaryFolder, until } from 'testing';

const workspace = fileURLToPath(new URL('../../..', import.meta.url));

let started: ChildProcess;
let printed: string;
/** Resolves once every process that could print has ended. */
let closed: Promise<unknown>;

/** Starts a program in a process group, as a terminal does, and waits for the service. */
async function start(command: string, args: string[], settings: Record<string, string> = {}): Promise<void> {
  const env = { PATH: process.env['PATH'], PORT: '0', SHUTDOWN_DELAY_MS: '1100', ...settings };
  started = spawn(command, args, { cwd: workspace, env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  printed = '';
  started.stdout!.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  closed = once(started, 'close');
  await until(() => printed.includes('"Booking service (preview) on') || started.exitCode !== null);
}

const stops = () => printed.match(/(?<="msg":")Stop[^"]*/g);
const alone = (pid: number) => pid;
const withItsGroup = (pid: number) => -pid;

afterEach(async () => {
  try {
    process.kill(-started.pid!, 'SIGKILL');
  } catch {
    // All have ended.
  }
  await closed;
});

describe('pnpm start', () => {
  const folder = temporaryFolder();
  const pnpm = join(folder, 'pnpm.cjs');
  const main = join(workspace, 'apps/api/dist/main.js');
  /** The tools as they are, in a workspace whose pnpm and rolldown print what they are asked for. */
  const files = {
    'package.json': '{ "type": "module" }',
    ...Object.fromEntries(
      ['tools/start.js', 'tools/turbo.js', 'tools/end-with-script.js'].map((name) => [
        name,
        readFileSync(join(workspace, name), 'utf8'),
      ]),
    ),
    'node_modules/rolldown/bin/cli.mjs': `console.error('rolldown', ...process.argv.slice(2), process.cwd());`,
    'apps/timetable/package.json': '{}',
    'pnpm.cjs': `console.log('pnpm', ...process.argv.slice(2)); process.exitCode = Number(process.env.PNPM_FAILS ?? 0);`,
    'apps/api/dist/main.js': `await import(${JSON.stringify(pathToFileURL(main).href)});`,
  };
  const script = (program: string) => `"${process.execPath}" "${join(folder, 'tools/start.js')}" ${program}`;
  /** As pnpm runs a script: in a shell that ends at a signal without passing it on. */
  const inShell = `${script('service')}; true`;
  /** As npx runs pnpm: in another such shell. */
  const NPX = `process.title = 'npm exec pnpm start';
    const shell = require('node:child_process').spawn('sh', ['-c', 'sh -c "$0"; true', process.argv[1]], { stdio: 'inherit' });
    process.on('SIGTERM', () => shell.kill());
    shell.on('exit', () => process.exit());`;
  const settings = { npm_execpath: pnpm, npm_lifecycle_event: 'start' };

  beforeAll(() => {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(join(folder, file, '..'), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
  });

  it('installs, builds, and serves, with the log alone on standard output', async () => {
    await start('sh', ['-c', `${script('service')} 2> "${join(folder, 'stderr')}"`], settings);
    expect(readFileSync(join(folder, 'stderr'), 'utf8').split('\n')).toEqual([
      'pnpm install --prod --filter . --filter-prod api...',
      expect.stringMatching(/^rolldown --config .*timetable$/),
      expect.stringMatching(/^rolldown --config .*api$/),
      '',
    ]);
    expect(printed).toMatch(/^\{[^\n]*"Booking service \(preview\) on [^\n]*\n$/);
  });

  it('removes nothing from a checkout with all that its developers need', () => {
    mkdirSync(join(folder, 'node_modules/oxfmt'));
    const env = { ...settings, PNPM_FAILS: '1' };
    const { stderr } = spawnSync('sh', ['-c', script('service')], { env, encoding: 'utf8' });
    rmSync(join(folder, 'node_modules/oxfmt'), { recursive: true });
    expect(stderr).toBe('pnpm install\n');
  });

  it.each([
    ['service', 1],
    ['verify-contract', 2],
  ])('runs nothing where the install fails: %s exits with %d', (program, code) => {
    const env = { ...settings, PNPM_FAILS: '1' };
    const { status, stdout } = spawnSync('sh', ['-c', script(program)], { env, encoding: 'utf8' });
    expect([status, stdout]).toEqual([code, '']);
  });

  it('stops the service once when the shell of the script is ended alone', async () => {
    await start('sh', ['-c', inShell], settings);
    started.kill('SIGTERM');
    await closed;
    expect(stops()).toEqual(['Stopping', 'Stopped']);
  });

  it.each([
    ['is killed alone', 'SIGKILL', alone],
    ['ends at SIGTERM with all the others', 'SIGTERM', withItsGroup],
  ] as const)('stops the service once when the npx that runs it %s', async (_, signal, target) => {
    await start(process.execPath, ['-e', NPX, inShell], settings);
    process.kill(target(started.pid!), signal);
    await closed;
    expect(stops()).toEqual(['Stopping', 'Stopped']);
  });
});

describe('pnpm start:postgres', () => {
  const program = join(workspace, 'tools/testing/dist/start-postgres.js');
  const folder = temporaryFolder();
  const isDatabaseUp = () => existsSync(join(folder, 'postmaster.pid'));

  beforeEach(async () => {
    await start(process.execPath, [program], { POSTGRES_FOLDER: folder });
    expect(isDatabaseUp()).toBe(true);
  });

  it.each([
    ['the process', alone],
    ['its process group, as by Ctrl+C', withItsGroup],
  ])('stops once, and then its database, on a signal to %s', async (_, target) => {
    process.kill(target(started.pid!), 'SIGINT');
    expect(await once(started, 'exit')).toEqual([0, null]);
    expect(isDatabaseUp()).toBe(false);
    await closed;
    expect(stops()).toEqual(['Stopping', 'Stopped']);
  });

  it('leaves no database running when it is killed', async () => {
    started.kill('SIGKILL');
    await until(() => !isDatabaseUp());
  });
});
