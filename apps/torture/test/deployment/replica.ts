import { ServiceProcess, until } from 'testing';

/** The built service as a process that is killed, stopped and started again where it was. */
export class Replica {
  private isWanted = true;

  private constructor(
    private readonly env: Record<string, string>,
    private service: ServiceProcess,
  ) {}

  /** Resolves when it listens, whether or not it is ready. */
  static async start(env: Record<string, string>): Promise<Replica> {
    return new Replica(env, await ServiceProcess.start(env));
  }

  get url(): string {
    return this.service.url;
  }

  get pid(): number {
    return this.service.child.pid!;
  }

  /** One sentence if the process ended by itself. */
  get faults(): string[] {
    const { child, output, stderr } = this.service;
    const end = child.exitCode ?? child.signalCode;
    if (end === null || !this.isWanted) return [];
    return [`The service ended by itself with ${end}: ${[...output.slice(-10), stderr].join('\n')}`];
  }

  /** Starts the process again, on the port that it had. */
  async restart(): Promise<void> {
    this.service = await ServiceProcess.start({ ...this.env, PORT: new URL(this.url).port });
    this.isWanted = true;
  }

  /** Sends SIGTERM or another signal. @returns the exit code @throws Error if the process had ended by itself */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> {
    if (this.faults.length > 0) throw new Error(this.faults[0]);
    this.isWanted = false;
    const [code] = await this.service.stop(signal);
    return code;
  }
}

/** Waits until every replica is ready. @returns the milliseconds that it took */
export function untilReady(replicas: readonly Replica[]): Promise<number> {
  return until(async () => {
    const responses = await Promise.all(replicas.map(({ url }) => fetch(`${url}/health/ready`)));
    return responses.every(({ ok }) => ok);
  });
}
