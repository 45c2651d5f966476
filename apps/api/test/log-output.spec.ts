import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { freePort, programOf } from 'testing';
import { standardOutput } from '../src/observability/logger.js';
import { until } from './support/until.js';

const FULL = openSync('/dev/full', 'w');
const folder = mkdtempSync(join(tmpdir(), 'log-output-'));
const running: ChildProcess[] = [];

afterEach(() => running.splice(0).forEach((child) => child.kill('SIGKILL')));
afterAll(() => {
  closeSync(FULL);
  rmSync(folder, { recursive: true });
});

/** A service whose log is not read by the test, and what it writes to standard error. */
class Service {
  errors = '';

  private constructor(
    readonly child: ChildProcess,
    private readonly url: string,
  ) {
    child.stderr?.on('data', (chunk: Buffer) => (this.errors += chunk.toString()));
  }

  static async start(output: 'pipe' | number, env: object = {}, errors: 'pipe' | number = 'pipe'): Promise<Service> {
    const port = await freePort();
    const child = spawn(process.execPath, [programOf('main.js')], {
      env: { PATH: process.env['PATH'], PORT: String(port), LOG_REFUSALS: 'all', ...env },
      stdio: ['ignore', output, errors],
    });
    running.push(child);
    const service = new Service(child, `http://127.0.0.1:${port}`);
    await until(() => service.status('/health/live').then((status) => status === 200));
    return service;
  }

  /** @returns undefined if there is no response */
  async status(path: string): Promise<number | undefined> {
    return fetch(`${this.url}${path}`).then(
      ({ status }) => status,
      () => undefined,
    );
  }

  /** Rejected requests, each of which has a line. */
  async reject(count: number): Promise<void> {
    for (let n = 0; n < count; n++) expect(await this.status('/v1/bookings/nothing')).toBe(404);
  }

  async stop(): Promise<unknown> {
    this.child.kill('SIGTERM');
    return once(this.child, 'exit');
  }
}

/** What a pipe holds; nothing if there is nothing. */
function readAvailable(pipe: number): string {
  const buffer = Buffer.alloc(65_536);
  try {
    return buffer.toString('utf8', 0, readSync(pipe, buffer));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return '';
    throw error;
  }
}

const dropped = /^The log cannot be written, and lines are dropped: (?:ENOSPC|EPIPE)[^\n]*\n$/;

describe('A service whose log cannot be written goes on', () => {
  it.each([['json'], ['pretty']])('on a full disk, says so once, and stops as usual (%s)', async (format) => {
    const service = await Service.start(FULL, { LOG_FORMAT: format });
    await service.reject(20);
    expect(await service.stop()).toEqual([0, null]);
    expect(service.errors).toMatch(dropped);
  });

  it.each([['json'], ['pretty']])('on a closed pipe, says so once, and stops as usual (%s)', async (format) => {
    const service = await Service.start('pipe', { LOG_FORMAT: format });
    service.child.stdout!.destroy();
    await service.reject(20);
    expect(await service.stop()).toEqual([0, null]);
    expect(service.errors).toMatch(dropped);
  });

  it('if standard error cannot be written either', async () => {
    const service = await Service.start(FULL, {}, FULL);
    await service.reject(5);
    expect(await service.stop()).toEqual([0, null]);
  });

  it('and logs again once it can, and says so once more if it fails again', async () => {
    const fifo = join(folder, 'log');
    execFileSync('mkfifo', [fifo]);
    const reader = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
    const output = openSync(fifo, 'w');
    const service = await Service.start(output);
    closeSync(output);
    closeSync(reader);
    await service.reject(20);
    const second = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
    await service.reject(1);
    let log = '';
    // A line is written behind its response.
    await until(() => {
      log += readAvailable(second);
      return log.includes('"Request rejected"');
    });
    closeSync(second);
    await service.reject(2);
    await service.stop();
    expect(service.errors.match(/The log cannot be written/g)).toHaveLength(2);
  });
});

it('A start that fails exits with 1 if standard error cannot be written', () => {
  const { status } = spawnSync(process.execPath, [programOf('main.js')], {
    env: { PATH: process.env['PATH'], PORT: 'none' },
    stdio: ['ignore', FULL, FULL],
  });
  expect(status).toBe(1);
});

it.each([
  ['cli/make-api-key.js', ['desk', '--scopes', 'bookings:read']],
  ['cli/make-api-key.js', ['--help']],
  ['cli/migrate.js', []],
  ['cli/webhooks.js', ['list']],
])('%s %j fails in one line, or silently, if its output cannot be written', (program, args) => {
  const run = (errors: 'pipe' | number) =>
    spawnSync(process.execPath, [programOf(program), ...args], {
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', FULL, errors],
      encoding: 'utf8',
    });
  const { status, stderr } = run('pipe');
  expect(status).toBe(1);
  expect(stderr).not.toMatch(/\n {4}at |node:internal/);
  expect(run(FULL).status).toBe(1);
});

it('Lines that cannot be written are not kept', async () => {
  const output = standardOutput(() => {}, FULL);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const held = (): number => {
    collect();
    return process.memoryUsage().heapUsed + process.memoryUsage().external;
  };
  const before = held();
  for (let n = 0; n < 2_000; n++) {
    // 200 MB in all, each a text of its own.
    output.write(Buffer.alloc(100_000, 'x').toString());
    if (n % 10 === 0) await setImmediate();
  }
  expect(held() - before).toBeLessThan(20_000_000);
});
