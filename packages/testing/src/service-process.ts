import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The build of the service. Not found through a dependency on it: its own tests depend on this package. */
const build = new URL('../../../apps/api/dist/', import.meta.url);

/** Milliseconds that a process may take until it listens. */
const START_TIMEOUT = 120_000;
/** Characters of standard error that are kept for the message of a start that fails. */
const MOST_OF_STDERR = 4_000;

/** None of them outlives the process that started it. */
const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

export type LogLine = Record<string, unknown> & { level: string; msg: string };

/** The built service in a separate process, and all that it prints. */
export class ServiceProcess {
  /** Everything on standard output, line by line. */
  readonly output: string[] = [];
  /** Exit code and signal. */
  readonly ended: Promise<[number | null, NodeJS.Signals | null]>;
  /** The end of what was written to standard error. */
  stderr = '';
  private port = 0;

  private constructor(readonly child: ChildProcess) {
    this.ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    child.stderr!.on('data', (chunk: Buffer) => {
      this.stderr = (this.stderr + chunk.toString()).slice(-MOST_OF_STDERR);
    });
  }

  /**
   * Starts the service and waits until it listens.
   *
   * @param env all of its environment, besides `PATH` and the clock of the tests; `PORT` is any free one unless it is named
   * @param flags of Node
   * @param program below `apps/api/dist`, or an absolute path
   * @throws Error with what the service printed, when it ends or does not listen within two minutes
   */
  static async start(
    env: Record<string, string> = {},
    flags: readonly string[] = [],
    program = 'main.js',
  ): Promise<ServiceProcess> {
    const service = new ServiceProcess(run({ PORT: '0', ...env }, flags, program));
    const timer = setTimeout(() => service.child.kill('SIGKILL'), START_TIMEOUT);
    try {
      await service.listening();
    } finally {
      clearTimeout(timer);
    }
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The log, where it is JSON. */
  get lines(): LogLine[] {
    return this.output.map((line) => JSON.parse(line) as LogLine);
  }

  /** Sends a signal and waits for the end. @returns exit code and signal */
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

/** The path of a program of the built service. */
export function programOf(name: string): string {
  return fileURLToPath(new URL(name, build));
}

function run(env: Record<string, string>, flags: readonly string[], program: string): ChildProcess {
  const child = spawn(process.execPath, [...flags, programOf(program)], {
    env: { PATH: process.env['PATH'], ...clock(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** What sets the clock of a process: its zone and, where the tests run at another time, libfaketime. */
function clock(): Record<string, string | undefined> {
  const names = ['TZ', 'LD_PRELOAD', 'FAKETIME', 'FAKETIME_DONT_FAKE_MONOTONIC'];
  return Object.fromEntries(names.map((name) => [name, process.env[name]]));
}
