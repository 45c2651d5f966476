import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceProcess } from 'testing';

const STOPS = 2;
/** Creates that the service is reading when the signal arrives. */
const HELD = 8;
/** Clients that keep booking, on keep-alive connections, until the service is gone. */
const BUSY_CLIENTS = 8;

const running: ServiceProcess[] = [];

async function start(env: Record<string, string> = {}): Promise<ServiceProcess> {
  const service = await ServiceProcess.start(env);
  running.push(service);
  return service;
}

afterEach(() => running.splice(0).forEach(({ child }) => child.kill('SIGKILL')));

/** Sends the head of a create, and resolves when the service has it. */
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

/** @returns the status when the response is complete; undefined without a complete response */
async function statusOf(create: ClientRequest): Promise<number | undefined> {
  try {
    const [response] = (await once(create.end('{}'), 'response')) as [IncomingMessage];
    JSON.parse(await text(response));
    return response.statusCode;
  } catch {
    return undefined;
  }
}

/** @returns how many creates were acknowledged until the service was gone */
async function bookUntilGone({ url }: ServiceProcess): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let acknowledged = 0; ; acknowledged++) {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': 2 };
    const create = request(`${url}/v1/bookings`, { method: 'POST', agent, headers });
    if ((await statusOf(create)) !== 201) return acknowledged;
  }
}

describe('A stop', () => {
  it(`${STOPS} times under load, completes every request in flight, and exits with 0`, async () => {
    for (let stop = 1; stop <= STOPS; stop++) {
      const service = await start({ ACCESS_LOG: 'true' });
      const busy = Array.from({ length: BUSY_CLIENTS }, () => bookUntilGone(service));
      const held = await Promise.all(Array.from({ length: HELD }, () => holdCreate(service)));
      const signal = stop % 2 === 0 ? 'SIGTERM' : 'SIGINT';
      service.child.kill(signal);
      // A service that did not wait would be gone by now.
      await sleep(100);
      expect(await Promise.all(held.map(statusOf))).toEqual(held.map(() => 201));
      const acknowledged = HELD + (await Promise.all(busy)).reduce((sum, count) => sum + count, 0);
      expect(await service.ended).toEqual([0, null]);
      const statuses = service.lines
        .filter(({ operation }) => operation === 'createBooking')
        .map(({ status }) => status);
      // The clients received what the service sent, and no request was left without a response.
      expect(new Set(statuses)).toEqual(new Set([201]));
      expect(statuses).toHaveLength(acknowledged);
      expect(acknowledged).toBeGreaterThan(HELD + BUSY_CLIENTS);
    }
  });

  it('with nothing in flight waits for no client, whoever is connected', async () => {
    // Each of them would hold it until the test is given up.
    const timeouts = ['HEADERS_TIMEOUT_MS', 'REQUEST_TIMEOUT_MS', 'KEEP_ALIVE_TIMEOUT_MS', 'SHUTDOWN_TIMEOUT_MS'];
    const service = await start(Object.fromEntries(timeouts.map((name) => [name, '600000'])));
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
    const service = await start({ SHUTDOWN_DELAY_MS: '600000' });
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
    const service = await start({ SHUTDOWN_TIMEOUT_MS: '500' });
    const endless = await holdCreate(service);
    const cut = once(endless, 'error');
    expect(await service.stop()).toEqual([0, null]);
    await cut;
    expect(service.lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        msg: 'Request cut off',
        operation: 'createBooking',
        status: 499,
        outcome: 'aborted',
      }),
    );
  });
});
