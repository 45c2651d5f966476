import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from 'testing';

/** Servers run on one core, where `taskset` is there: the load generator does not cost them their cache. */
const isPinned = availableParallelism() > 1 && spawnSync('taskset', ['-c', '0', 'true']).status === 0;
const START_SECONDS = 30;

/** None outlives the bench, however it ends. */
const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** A server in a separate process. */
export class Server {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  /** @param env beyond the address: nothing else comes from this environment, and every contender has its defaults */
  static async start(program: string, env: Record<string, string>): Promise<Server> {
    const port = String(await freePort());
    const [command, ...args] = [...(isPinned ? ['taskset', '-c', '0'] : []), process.execPath, program];
    const child = spawn(command, args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { PATH: process.env['PATH'], HOST: '127.0.0.1', PORT: port, NODE_ENV: 'production', ...env },
    });
    running.add(child);
    child.once('exit', () => running.delete(child));
    const server = new Server(child, `http://127.0.0.1:${port}/v1/bookings`);
    for (const end = Date.now() + START_SECONDS * 1_000; Date.now() < end && child.exitCode === null; await sleep(20)) {
      if ((await fetch(server.url).catch(() => undefined))?.ok) return server;
    }
    throw new Error(`${program} does not start.`);
  }

  get pid(): number {
    return this.child.pid!;
  }

  async stop(): Promise<void> {
    this.child.kill('SIGKILL');
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
  }
}
