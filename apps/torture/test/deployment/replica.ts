import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceProcess } from 'testing';

/** The built service as a process that is killed, stopped and started again where it was. */
export class Replica {
  private running: ServiceProcess | undefined;
  private port = '0';
  /** How the process ended, if it was not stopped. */
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
    return this.running!.child.pid!;
  }

  /** One sentence if the process ended by itself. */
  get faults(): string[] {
    return this.fault === undefined ? [] : [this.fault];
  }

  /** Starts the process again, on the port that it had. */
  async restart(): Promise<void> {
    const service = await ServiceProcess.start({ HOST: '127.0.0.1', PORT: this.port, ...this.env });
    this.running = service;
    this.port = new URL(service.url).port;
    void this.watch(service);
  }

  /** kill -9, and the end of it. */
  async kill(): Promise<void> {
    await this.release().stop('SIGKILL');
  }

  /**
   * SIGTERM. A process that has not ended after `timeout` milliseconds is killed.
   *
   * @returns the exit code; null when it had to be killed
   */
  async stop(timeout = 10_000): Promise<number | null> {
    const service = this.release();
    const timer = setTimeout(() => service.child.kill('SIGKILL'), timeout);
    const [code] = await service.stop();
    clearTimeout(timer);
    return code;
  }

  private async watch(service: ServiceProcess): Promise<void> {
    const [code, signal] = await service.ended;
    if (this.running !== service) return;
    const log = [...service.output.slice(-10), service.stderr].join('\n');
    this.fault = `The service ended by itself with ${code ?? signal}: ${log}`;
  }

  /** The process, whose end is no fault from now on. */
  private release(): ServiceProcess {
    const service = this.running;
    if (service === undefined || this.fault !== undefined) throw new Error(this.fault ?? 'The replica does not run.');
    this.running = undefined;
    return service;
  }
}

/** Waits until every replica is ready. @returns the milliseconds that it took; Infinity after `timeout` */
export async function untilReady(replicas: readonly Replica[], timeout = 60_000): Promise<number> {
  const start = performance.now();
  while (performance.now() - start < timeout) {
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
