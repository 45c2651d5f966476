import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from 'testing';
import { fileURLToPath } from 'node:url';

const workspace = fileURLToPath(new URL('../../..', import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(workspace, 'package.json'), 'utf8')) as { scripts: { start: string } };
/** The service is already built. */
const script = scripts.start.replace(/^.* && /, 'true && ');

/** What npx does with pnpm: it runs it in a shell between them, which ends at a signal without passing it on. */
const NPX = `process.title = 'npm exec pnpm start';
  const shell = require('node:child_process').spawn('sh', ['-c', 'sh -c "$0"; true', process.argv[1]], { stdio: 'inherit' });
  process.on('SIGTERM', () => shell.kill());
  shell.on('exit', () => process.exit());`;

describe('pnpm start', () => {
  let started: ChildProcess;
  let printed: string;
  /** Resolves once all that were started have ended: none is left that could print. */
  let closed: Promise<unknown>;

  /** Starts it in a process group, as a terminal does. */
  async function start(command: string, args: string[]): Promise<void> {
    const env = { PATH: process.env['PATH'], PORT: '0', SHUTDOWN_DELAY_MS: '1100' };
    started = spawn(command, args, { cwd: workspace, env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
    printed = '';
    started.stdout!.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    closed = once(started, 'close');
    await until(() => printed.includes('Booking service (preview) on'));
  }

  const stops = () => printed.match(/(?<="msg":")Stop[^"]*/g);

  afterEach(async () => {
    try {
      process.kill(-started.pid!, 'SIGKILL');
    } catch {
      // All of them have ended.
    }
    await closed;
  });

  it('passes SIGTERM to the service, and ends with it', async () => {
    // pnpm runs a script in a shell, and sends signals to that shell alone.
    await start('sh', ['-c', script]);
    started.kill('SIGTERM');
    expect(await closed).toEqual([0, null]);
    expect(printed).toContain('"msg":"Stopped"');
  });

  it.each([
    ['is killed alone', 'SIGKILL', (pid: number) => pid],
    ['ends at SIGTERM with all the others', 'SIGTERM', (pid: number) => -pid],
  ] as const)('stops the service once when the npx that runs it %s', async (_, signal, target) => {
    await start(process.execPath, ['-e', NPX, script]);
    process.kill(target(started.pid!), signal);
    await closed;
    expect(stops()).toEqual(['Stopping', 'Stopped']);
  });
});
