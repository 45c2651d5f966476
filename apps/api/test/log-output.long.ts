import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { freePort, PATIENT, programOf, until } from 'testing';

let child: ChildProcess;

afterEach(() => child.kill('SIGKILL'));

it.each(['a full disk', 'a closed pipe'])(
  'A service that cannot write its log (%s) says so once and goes on',
  async (output) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const settings = { PORT: String(port), ACCESS_LOG: 'true', SLOW_REQUEST_MS: '600000', ...PATIENT };
    const env = { PATH: process.env['PATH'], ...settings };
    const full = openSync('/dev/full', 'w');
    const stdout = output === 'a full disk' ? full : 'pipe';
    child = spawn(process.execPath, [programOf('main.js')], { env, stdio: ['ignore', stdout, 'pipe'] });
    let errors = '';
    child.stderr!.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    child.stdout?.destroy();
    await until(async () => (await fetch(`${url}/health/live`)).ok);
    for (let n = 0; n < 20; n++) expect((await fetch(`${url}/v1/bookings`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    closeSync(full);
    expect(errors).toMatch(/^The log cannot be written, and lines may be lost: (?:ENOSPC|EPIPE)[^\n]*\n$/);
  },
);
