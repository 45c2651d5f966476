import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { anApiKey, ApiKeysFile } from './support/api-keys.js';
import { until } from './support/until.js';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

function start(env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [main], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** What it prints until it has said where its bookings are, and on the other stream by then. */
async function printedBy(service: ChildProcess): Promise<{ stdout: string; stderr: string }> {
  const printed = { stdout: '', stderr: '' };
  service.stdout!.on('data', (chunk) => (printed.stdout += String(chunk)));
  service.stderr!.on('data', (chunk) => (printed.stderr += String(chunk)));
  await until(() => printed.stdout.includes('Store:'));
  // What follows comes at once, on another stream.
  await sleep(200);
  return printed;
}

async function outcomeOf(env: Record<string, string>): Promise<{ code: number; stderr: string }> {
  const service = start(env);
  const stderr = text(service.stderr!);
  const [code] = (await once(service, 'exit')) as [number];
  return { code, stderr: await stderr };
}

describe('The built service', () => {
  it('prints where it and its documentation are, serves, and exits with 0 on SIGTERM', async () => {
    const service = start({ PORT: '0' });
    let printed = '';
    for await (const chunk of service.stdout!) {
      printed += String(chunk);
      if (printed.includes('Store:')) break;
    }
    const [, url] = /Booking service \(preview\) on (http:\/\/localhost:\d+)\n/.exec(printed)!;
    expect(printed).toContain(`Documentation on ${url}/docs\n`);
    expect(printed).toMatch(/Store: memory, .*gone when the service stops/);
    expect((await fetch(`${url}/v1/bookings`)).status).toBe(200);
    service.kill('SIGTERM');
    expect(await once(service, 'exit')).toEqual([0, null]);
  });

  it('is not kept from ending by a request that never ends', async () => {
    const service = start({ PORT: '0' });
    const [printed] = (await once(service.stdout!, 'data')) as [Buffer];
    const [, port] = /localhost:(\d+)/.exec(printed.toString())!;
    const client = connect(Number(port), '127.0.0.1').on('error', () => {});
    client.write(
      'POST /v1/bookings HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    );
    await sleep(200);
    const signalled = performance.now();
    service.kill('SIGTERM');
    expect(await once(service, 'exit')).toEqual([0, null]);
    expect(performance.now() - signalled).toBeLessThan(14_000);
  }, 30_000);

  it('says in one line that its port is in use, and exits with 1', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as AddressInfo;
    const { code, stderr } = await outcomeOf({ PORT: String(port) }).finally(() => blocker.close());
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The booking service cannot start: the address is in use\. .*\n$/);
  });

  it('says in one line what is wrong with its settings, and exits with 1', async () => {
    const { code, stderr } = await outcomeOf({ PORT: 'http', MEMORY_MAX_BOOKINGS: '0' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The booking service cannot start: Bad settings: PORT .*; MEMORY_MAX_BOOKINGS .*\n$/);
  });

  it.each([
    ['0.0.0.0', true],
    ['127.0.0.1', false],
    ['localhost', false],
    ['::1', false],
  ])('warns in one line that anyone may come in, where it listens beyond this machine: %s', async (host, warns) => {
    const service = start({ PORT: '0', HOST: host });
    const { stderr } = await printedBy(service);
    service.kill('SIGTERM');
    await once(service, 'exit');
    expect(stderr).toMatch(warns ? /^Warning: authentication is off, and .* on 0\.0\.0\.0: .*\n$/ : /^$/);
  });

  it('says which tokens it takes, and then warns of nothing', async () => {
    const file = new ApiKeysFile(anApiKey('desk'));
    const service = start({ PORT: '0', HOST: '0.0.0.0', AUTH_API_KEYS_FILE: file.path });
    const { stdout, stderr } = await printedBy(service);
    service.kill('SIGTERM');
    await once(service, 'exit');
    file.remove();
    expect(stdout).toContain(`\nAuthentication: API keys of ${file.path} (1)\n`);
    expect(stderr).toBe('');
  });

  it('says in one line what is wrong with its file of API keys, and exits with 1', async () => {
    const file = new ApiKeysFile();
    file.write('desk', '', 'kiosk');
    const { code, stderr } = await outcomeOf({ PORT: '0', AUTH_API_KEYS_FILE: file.path });
    file.remove();
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^The booking service cannot start: the API keys of .*: line 1 is not .*; line 3 is not .*\n$/,
    );
  });
});

describe('The built command for API keys', () => {
  const command = fileURLToPath(new URL('../dist/make-api-key.js', import.meta.url));
  const make = (...args: string[]) => spawnSync(process.execPath, [command, ...args], { encoding: 'utf8' });

  it('makes a token and the line for it, another one each time, with which the service lets one in', async () => {
    const printed = ['bookings:read', 'bookings:write,bookings:read'].map((scopes) => {
      const { status, stdout } = make('desk', '--scopes', scopes);
      expect(status).toBe(0);
      const [, token, line] = /^ {2}(bookings_[\w-]{43})$[^]*^ {2}(desk sha256:\S+ \S+)$/m.exec(stdout)!;
      return { token: token!, line: line! };
    });
    const file = new ApiKeysFile(...printed);
    const service = start({ PORT: '0', AUTH_API_KEYS_FILE: file.path });
    const { stdout } = await printedBy(service);
    const url = /http:\/\/localhost:\d+/.exec(stdout)![0];
    const statuses = printed.map(async ({ token }) => {
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(`${url}/v1/bookings`, { method: 'POST', headers })).status;
    });
    expect(await Promise.all(statuses)).toEqual([403, 201]);
    service.kill('SIGTERM');
    await once(service, 'exit');
    file.remove();
  });

  it.each([
    [[]],
    [['desk']],
    [['--scopes', 'bookings:read']],
    [['desk', '--scopes', 'bookings:delete']],
    [['desk', 'kiosk', '--scopes', 'bookings:read']],
    [['#desk', '--scopes', 'bookings:read']],
    [['desk\nkiosk', '--scopes', 'bookings:read']],
    [['desk', '--scope', 'bookings:read']],
  ])('says how it is used, and makes nothing, for %j', (args) => {
    const { status, stdout, stderr } = make(...args);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Usage: api-key NAME --scopes SCOPE,/);
  });
});
