import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { until } from 'testing';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../../packages/testing/dist/start-postgres.js', import.meta.url));

describe('pnpm start:postgres', () => {
  const folder = mkdtempSync(join(tmpdir(), 'start-postgres-'));
  let running: ChildProcess | undefined;

  afterAll(() => {
    running?.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  const isDatabaseUp = () => existsSync(join(folder, 'postmaster.pid'));

  /** Starts it in a process group, as a terminal or pnpm does. */
  async function start(): Promise<{ child: ChildProcess; lines: string[] }> {
    const { PATH } = process.env;
    const env = { PATH, PORT: '0', SHUTDOWN_DELAY_MS: '200', POSTGRES_FOLDER: folder };
    const child = spawn(process.execPath, [PROGRAM], { env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
    running = child;
    const lines: string[] = [];
    createInterface(child.stdout).on('line', (line) => lines.push(line));
    const isUp = () => lines.some((line) => line.includes('"Booking service'));
    await until(() => isUp() || child.exitCode !== null);
    expect(isDatabaseUp()).toBe(true);
    return { child, lines };
  }

  it.each([
    ['it', (pid: number) => pid],
    ['its process group, as by Ctrl+C', (pid: number) => -pid],
  ])('stops once, and its database then, on a signal to %s', async (_, target) => {
    const { child, lines } = await start();
    process.kill(target(child.pid!), 'SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(isDatabaseUp()).toBe(false);
    const messages = lines.slice(-2).map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(messages).toEqual(['Stopping', 'Stopped']);
  });

  it('leaves no database running when it is killed', async () => {
    const { child } = await start();
    child.kill('SIGKILL');
    await once(child, 'exit');
    await until(() => !isDatabaseUp());
  });
});
