import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The service's build. A dependency on the service would be a cycle, since its tests depend on this package. */
const build = new URL('../../../apps/api/dist/', import.meta.url);

/** Maximum milliseconds until a process listens. */
const START_TIMEOUT = 120_000;
/** A service that closes an idle connection may cut a request (RFC 9112 §9.3.1), on a slow machine also one of a test. */
export const PATIENT = { KEEP_ALIVE_TIMEOUT_MS: '600000' };
/** Maximum characters of standard error in the message about a failed start. */
const MAX_STDERR = 4_000;

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

type LogLine = Record<string, unknown> & { level: string; msg: string };

/** The built service, in a process that never outlives this one. */
export class ServiceProcess {
  readonly output: string[] = [];
  /** The last characters of standard error. */
  stderr = '';
  child!: ChildProcess;
  /** Resolves with the exit code and the signal. */
  ended!: Promise<[number | null, NodeJS.Signals | null]>;
  private port = 0;

  private constructor(
    private readonly env: Record<string, string>,
    private readonly flags: readonly string[],
    private readonly program: string,
    private readonly launcher: readonly string[],
  ) {}

  /**
   * Resolves when the service listens, by default on a free port.
   *
   * @param env the service's environment, in addition to `PATH` and `TZ` of the tests
   * @param program a path below `apps/api/dist`, or an absolute path
   * @param launcher a program that starts the command in its further arguments, such as `unshare`, and its options
   * @throws Error with the service's output if it ends or does not listen within two minutes
   */
  static async start(
    env: Record<string, string> = {},
    flags: readonly string[] = [],
    program = 'main.js',
    launcher: readonly string[] = [],
  ): Promise<ServiceProcess> {
    const service = new ServiceProcess({ PORT: '0', ...PATIENT, ...env }, flags, program, launcher);
    await service.restart();
    return service;
  }

  /** Starts the service again after its end, on the same port. */
  async restart(): Promise<void> {
    const port = this.port > 0 && { PORT: String(this.port) };
    const command = [...this.launcher, process.execPath, ...this.flags, programOf(this.program)];
    this.child = run({ ...this.env, ...port }, command);
    this.ended = once(this.child, 'close') as typeof this.ended;
    this.child.stderr!.on('data', (chunk: Buffer) => {
      this.stderr = (this.stderr + chunk.toString()).slice(-MAX_STDERR);
    });
    const timer = setTimeout(() => this.child.kill('SIGKILL'), START_TIMEOUT);
    await this.listening().finally(() => clearTimeout(timer));
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get lines(): LogLine[] {
    return this.output.map((line) => JSON.parse(line) as LogLine);
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<[number | null, NodeJS.Signals | null]> {
    this.child.kill(signal);
    return this.ended;
  }

  private async listening(): Promise<void> {
    const lines = createInterface(this.child.stdout!);
    const listens = new Promise<void>((resolve) => {
      lines.on('line', (line) => {
        this.output.push(line);
        const [, port] = /Booking service \(preview\) on http:\/\/\S+:(\d+)/.exec(line) ?? [];
        if (port === undefined) return;
        this.port = Number(port);
        resolve();
      });
    });
    const ends = this.ended.then(() => {
      throw new Error(`The service does not start: ${this.output.join('\n')}${this.stderr}`);
    });
    await Promise.race([listens, ends]);
  }
}

export function programOf(name: string): string {
  return fileURLToPath(new URL(name, build));
}

function run(env: Record<string, string>, [command, ...words]: readonly string[]): ChildProcess {
  const child = spawn(command!, words, {
    env: { PATH: process.env['PATH'], TZ: process.env['TZ'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}
