import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** Milliseconds that a process may take until it listens. */
const START_TIMEOUT = 15_000;

/** The built service as a process of its own. */
export class Replica {
  private process: ChildProcess | undefined;
  private port = '0';
  private log = '';
  /** Whether the process ended without being told to. */
  private fault: string | undefined;

  private constructor(private readonly env: Record<string, string>) {}

  /** Resolves when it listens, whether or not it is ready. */
  static async start(env: Record<string, string>): Promise<Replica> {
    const replica = new Replica(env);
    await replica.restart();
    return replica;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.process!.pid!;
  }

  /** One sentence if the process ended by itself. */
  get faults(): string[] {
    return this.fault === undefined ? [] : [this.fault];
  }

  /** Starts the process again, on the port that it had. */
  async restart(): Promise<void> {
    const service = spawn(process.execPath, [MAIN], {
      env: { PATH: process.env['PATH'], HOST: '127.0.0.1', PORT: this.port, ...this.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.process = service;
    this.log = '';
    for (const output of [service.stdout, service.stderr]) {
      output.on('data', (chunk: Buffer) => void (this.log = (this.log + chunk.toString()).slice(-2_000)));
    }
    service.once('exit', (code, signal) => {
      if (this.process !== service) return;
      this.fault = `The service ended by itself with ${code ?? signal}: ${this.log}`;
    });
    this.port = await portOf(service, () => this.log);
  }

  /** kill -9, and the end of it. */
  async kill(): Promise<void> {
    const service = this.release();
    service.kill('SIGKILL');
    await once(service, 'exit');
  }

  /**
   * SIGTERM. What has not ended after `patience` milliseconds is killed.
   *
   * @returns the exit code; null when it had to be killed
   */
  async stop(patience = 10_000): Promise<number | null> {
    const service = this.release();
    const ended = once(service, 'exit') as Promise<[number | null]>;
    service.kill('SIGTERM');
    const timer = setTimeout(() => service.kill('SIGKILL'), patience);
    const [code] = await ended;
    clearTimeout(timer);
    return code;
  }

  /** The process, whose end is no fault from now on. */
  private release(): ChildProcess {
    const service = this.process;
    if (service === undefined || service.exitCode !== null) throw new Error(this.fault ?? 'The replica does not run.');
    this.process = undefined;
    return service;
  }
}

/** Waits until every replica is ready. @returns the milliseconds that it took; Infinity after `patience` */
export async function untilReady(replicas: readonly Replica[], patience = 15_000): Promise<number> {
  const start = performance.now();
  while (performance.now() - start < patience) {
    const ready = await Promise.all(replicas.map(isReady));
    if (ready.every(Boolean)) return performance.now() - start;
    await sleep(25);
  }
  return Number.POSITIVE_INFINITY;
}

async function isReady({ url }: Replica): Promise<boolean> {
  try {
    const { status } = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(5_000) });
    return status === 200;
  } catch {
    return false;
  }
}

function portOf(service: ChildProcess, log: () => string): Promise<string> {
  let printed = '';
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`The service does not listen: ${log()}`)), START_TIMEOUT);
    const settle = (): void => clearTimeout(timer);
    service.stdout!.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      const port = /"port":(\d+)/.exec(printed)?.[1];
      if (port === undefined) return;
      settle();
      resolve(port);
    });
    service.once('exit', () => {
      settle();
      reject(new Error(`The service does not start: ${log()}`));
    });
  });
}
