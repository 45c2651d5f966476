import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const programs = new URL('../../dist/', import.meta.url);

export type LogLine = Record<string, unknown> & { level: string; msg: string };

/** The built service as a process of its own, and all that it prints. */
export class ServiceProcess {
  /** Everything on standard output, line by line. */
  readonly output: string[] = [];
  /** Exit code and signal. */
  readonly ended: Promise<[number | null, NodeJS.Signals | null]>;
  private port = 0;

  private constructor(readonly child: ChildProcess) {
    this.ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  }

  /** Resolves when it listens. `PORT` is any free one, and nothing else of this environment is set. */
  static async start(
    env: Record<string, string> = {},
    flags: string[] = [],
    program = 'main.js',
  ): Promise<ServiceProcess> {
    const service = new ServiceProcess(run({ PORT: '0', ...env }, flags, program));
    const lines = createInterface(service.child.stdout!);
    await new Promise<void>((resolve, reject) => {
      lines.on('line', (line) => {
        service.output.push(line);
        const [, port] = /Booking service \(preview\) on http:\/\/\S+:(\d+)/.exec(line) ?? [];
        if (port === undefined) return;
        service.port = Number(port);
        resolve();
      });
      lines.once('close', () => reject(new Error(`The service does not start: ${service.output.join('\n')}`)));
    });
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
}

/** Runs a service that does not start. */
export async function failToStart(env: Record<string, string>): Promise<{ code: number; stderr: string }> {
  const service = run(env, []);
  const stderr = text(service.stderr!);
  const [code] = (await once(service, 'exit')) as [number];
  return { code, stderr: await stderr };
}

function run(env: Record<string, string>, flags: string[], program = 'main.js'): ChildProcess {
  return spawn(process.execPath, [...flags, fileURLToPath(new URL(program, programs))], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
