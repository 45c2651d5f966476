import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from 'testing';

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
  const { scripts } = JSON.parse(readFileSync(join(workspace, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  /** The service is already built. */
  const script = scripts.start.replace(/^.* && /, 'true && ');
  /** As npx runs pnpm: in a shell that ends at a signal without passing it on. */
  const NPX = `process.title = 'npm exec pnpm start';
    const shell = require('node:child_process').spawn('sh', ['-c', 'sh -c "$0"; true', process.argv[1]], { stdio: 'inherit' });
    process.on('SIGTERM', () => shell.kill());
    shell.on('exit', () => process.exit());`;

  it('passes SIGTERM to the service, and ends with it', async () => {
    // pnpm signals the shell of a script alone.
    await start('sh', ['-c', script]);
    started.kill('SIGTERM');
    expect(await closed).toEqual([0, null]);
    expect(stops()).toEqual(['Stopping', 'Stopped']);
  });

  it.each([
    ['is killed alone', 'SIGKILL', alone],
    ['ends at SIGTERM with all the others', 'SIGTERM', withItsGroup],
  ] as const)('stops the service once when the npx that runs it %s', async (_, signal, target) => {
    await start(process.execPath, ['-e', NPX, script]);
    process.kill(target(started.pid!), signal);
    await closed;
    expect(stops()).toEqual(['Stopping', 'Stopped']);
  });
});

describe('pnpm start:postgres', () => {
  const program = join(workspace, 'packages/testing/dist/start-postgres.js');
  const folder = mkdtempSync(join(tmpdir(), 'start-postgres-'));
  const isDatabaseUp = () => existsSync(join(folder, 'postmaster.pid'));

  beforeEach(async () => {
    await start(process.execPath, [program], { POSTGRES_FOLDER: folder });
    expect(isDatabaseUp()).toBe(true);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['the process', alone],
    ['its process group, as by Ctrl+C', withItsGroup],
  ])('stops once, and its database then, on a signal to %s', async (_, target) => {
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
