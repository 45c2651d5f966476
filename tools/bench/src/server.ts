import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from 'testing';
import { BOOKINGS_PATH } from './contenders.js';
import { nodeOn, SERVER_CORE } from './pinning.js';

export const HOST = '127.0.0.1';
const START_SECONDS = 30;
const STOP_SECONDS = 3;

/** None outlives the bench, however it ends. */
const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

export interface ServerProgram {
  /** What Node runs: the file, after flags of Node where there are some. */
  readonly args: readonly string[];
  readonly env?: Record<string, string>;
  /** Whether it is pinned to the core of the servers; true by default. */
  readonly pinned?: boolean;
}

/** A server in a separate process. */
export class Server {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    /** Milliseconds from the start of the process to its first response to a list. */
    readonly startUp: number,
  ) {}

  static async start({ args, env = {}, pinned = true }: ServerProgram): Promise<Server> {
    const port = await freePort();
    const [command, commandArgs] = nodeOn(pinned ? SERVER_CORE : undefined, args);
    const start = performance.now();
    const child = spawn(command, commandArgs, {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      // Nothing else from this environment: every contender runs on its defaults.
      env: { PATH: process.env['PATH'], HOST, PORT: String(port), NODE_ENV: 'production', ...env },
    });
    running.add(child);
    child.once('exit', () => running.delete(child));
    const url = `http://${HOST}:${port}`;
    while (!(await responds(url + BOOKINGS_PATH))) {
      if (child.exitCode !== null) throw new Error(`${args.at(-1)} ended as it started.`);
      if (performance.now() - start > START_SECONDS * 1_000) throw new Error(`${args.at(-1)} does not respond.`);
      await sleep(2);
    }
    return new Server(child, url, performance.now() - start);
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Collects the garbage of a server that runs with `heap-probe.js`. @returns bytes of its heap that are in use after that */
  async usedHeap(): Promise<number> {
    this.child.send('collect');
    const [used] = (await once(this.child, 'message')) as [number];
    return used;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_SECONDS * 1_000);
    await exited;
    clearTimeout(timer);
  }
}

function responds(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(url, { agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode === 200));
    }).once('error', () => resolve(false));
  });
}
