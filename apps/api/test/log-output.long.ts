import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { freePort, PATIENT, programOf, temporaryFolder, until } from 'testing';
import { TestIssuer } from './support/test-issuer.js';

/** Bytes that a pipe takes in one piece or not at all (`PIPE_BUF`). */
const PIECE = 4_096;
const EMPTY_LINES = '\n'.repeat(PIECE);

const folder = temporaryFolder();

let issuer: TestIssuer;
let child: ChildProcess;
let errors: string;
let url: string;

beforeAll(async () => {
  issuer = await TestIssuer.start();
});
afterAll(() => issuer.stop());

/** Starts the service, which logs the long audience for each token that lacks it. */
async function start(output: number | 'pipe'): Promise<void> {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const auth = { AUTH_OIDC_ISSUER: issuer.url, AUTH_OIDC_AUDIENCE: 'a'.repeat(PIECE) };
  const settings = { PORT: String(port), ACCESS_LOG: 'true', SLOW_REQUEST_MS: '600000', ...PATIENT };
  const env = { PATH: process.env['PATH'], ...settings, ...auth };
  child = spawn(process.execPath, [programOf('main.js')], { env, stdio: ['ignore', output, 'pipe'] });
  errors = '';
  child.stderr!.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  child.stdout?.destroy();
  await until(async () => (await fetch(`${url}/health/live`)).ok);
}

/** @returns the status, and logs a line that is longer than {@link PIECE} */
async function list(): Promise<number> {
  const headers = { authorization: `Bearer ${await issuer.token()}` };
  const { status } = await fetch(`${url}/v1/bookings`, { headers });
  return status;
}

afterEach(() => child.kill('SIGKILL'));

it.each(['a full disk', 'a closed pipe'])(
  'A service that cannot write its log (%s) says so once and goes on',
  async (output) => {
    const full = openSync('/dev/full', 'w');
    await start(output === 'a full disk' ? full : 'pipe');
    for (let n = 0; n < 20; n++) expect(await list()).toBe(401);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    closeSync(full);
    expect(errors).toMatch(/^The log cannot be written, and lines may be lost: (?:ENOSPC|EPIPE)[^\n]*\n$/);
  },
);

it('A service whose log is a full pipe that another process has made non-blocking goes on, and ends', async () => {
  const path = join(folder, 'log');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const fd = openSync(path, 'w');
  await start(fd);
  // Makes the pipe non-blocking, also for the service.
  const writer = new Socket({ fd, readable: false, writable: true });
  expect(() => {
    for (;;) writeSync(fd, EMPTY_LINES);
  }).toThrow('EAGAIN');
  for (let n = 0; n < 20; n++) expect(await list()).toBe(401);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(errors).toMatch(/^The log cannot be written, and lines may be lost: EAGAIN[^\n]*\n$/);
  writer.destroy();
  closeSync(reader);
});
