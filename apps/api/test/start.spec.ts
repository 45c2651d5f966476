import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

function start(env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [main], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
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

  it('says in one line what is wrong with its booking schema, and exits with 1', async () => {
    const { code, stderr } = await outcomeOf({ PORT: '0', BOOKING_SCHEMA_FILE: fileURLToPath(import.meta.url) });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The booking service cannot start: BOOKING_SCHEMA_FILE \(.*\): .*JSON.*\n$/);
  });
});
