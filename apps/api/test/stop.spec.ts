import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen, programOf, ServiceProcess } from 'testing';

async function holdCreate({ url }: ServiceProcess): Promise<ClientRequest> {
  const create = request(`${url}/v1/bookings`, {
    method: 'POST',
    agent: false,
    headers: { 'Content-Type': 'application/json', 'Content-Length': 2, Expect: '100-continue' },
  });
  create.flushHeaders();
  await once(create, 'continue');
  return create;
}

it('A signal ends a start that waits for its database', async () => {
  // A server that never responds.
  const database = createServer();
  const { port } = await listen(database);
  const env = { DATABASE_URL: `postgres://127.0.0.1:${port}/bookings`, DATABASE_CONNECT_TIMEOUT_MS: '60000' };
  const starting = spawn(process.execPath, [programOf('main.js')], { env });
  const [connection] = (await once(database, 'connection')) as [Socket];
  starting.kill('SIGTERM');
  expect(await once(starting, 'exit')).toEqual([0, null]);
  connection.destroy();
  database.close();
});

describe('A stop', () => {
  it('with nothing in flight waits for no client', async () => {
    // Each limit exceeds that of the test.
    const timeouts = ['REQUEST_TIMEOUT_MS', 'KEEP_ALIVE_TIMEOUT_MS', 'SHUTDOWN_TIMEOUT_MS'];
    const service = await ServiceProcess.start(Object.fromEntries(timeouts.map((name) => [name, '600000'])));
    const head = 'POST /v1/bookings HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
    const clients = {
      silent: '',
      'with empty lines': '\r\n\r\n',
      'in the middle of a head': head,
      'of a 413, whose body does not come': `${head}Content-Length: 99999\r\n\r\n`,
      idle: 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n',
      rejected: '\0',
    };
    const sockets = Object.values(clients).map((bytes) => {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
      socket.on('error', () => {}).write(bytes);
      return socket;
    });
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    await sleep(200);
    expect(await service.stop()).toEqual([0, null]);
    for (const socket of sockets) socket.destroy();
  });

  it('accepts requests for another SHUTDOWN_DELAY_MS, not ready meanwhile, and is immediate on a second signal', async () => {
    const service = await ServiceProcess.start({ SHUTDOWN_DELAY_MS: '600000' });
    const cut = once(await holdCreate(service), 'error');
    expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
    service.child.kill('SIGTERM');
    let ready = await fetch(`${service.url}/health/ready`);
    while (ready.status === 200) ready = await fetch(`${service.url}/health/ready`);
    expect(ready.status).toBe(503);
    expect(ready.headers.get('retry-after')).toBe('1');
    expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
    expect((await fetch(`${service.url}/v1/bookings`)).status).toBe(200);
    expect(await service.stop('SIGINT')).toEqual([130, null]);
    await cut;
    expect(service.lines.at(-1)).toMatchObject({ level: 'warn', msg: 'Stopped immediately by a second signal' });
  });

  it('cuts off requests that never end after SHUTDOWN_TIMEOUT_MS, and logs it', async () => {
    const service = await ServiceProcess.start({ SHUTDOWN_TIMEOUT_MS: '500' });
    const endless = await holdCreate(service);
    const cut = once(endless, 'error');
    expect(await service.stop()).toEqual([0, null]);
    await cut;
    expect(service.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', msg: 'Request cut off', outcome: 'aborted' }),
    );
  });
});
