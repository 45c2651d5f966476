import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceProcess } from 'testing';
import { until } from './support/until.js';

const CLIENTS = 40;
const REQUEST = 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: bookings\r\n\r\n';

let service: ServiceProcess;

beforeAll(async () => {
  service = await ServiceProcess.start();
  await (await fetch(`${service.url}/docs/swagger-ui-bundle.js`, { headers: { Connection: 'close' } })).text();
});
afterAll(() => service.stop());

const isLinux = process.platform === 'linux';
if (!isLinux) process.stderr.write('Skipped: open files of the service, which only Linux has in /proc.\n');

/** Open files and sockets of the service. */
const openFiles = (): number => readdirSync(`/proc/${service.child.pid}/fd`).length;

async function leaveAfter(moment: (socket: ReturnType<typeof connect>) => unknown, requests: number): Promise<void> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => {});
  await once(socket, 'connect');
  socket.write(REQUEST.repeat(requests));
  await moment(socket);
  socket.destroy();
}

(isLinux ? describe : describe.skip)('A client of a file that leaves', () => {
  it.each([
    ['at once', () => undefined, 1],
    ['after a moment', () => sleep(3), 1],
    ['when the file has begun to arrive', (socket: ReturnType<typeof connect>) => once(socket, 'data'), 1],
    ['at once, after many requests in one packet', () => undefined, 10],
    ['when the first of many has begun to arrive', (socket: ReturnType<typeof connect>) => once(socket, 'data'), 10],
  ] as const)('%s leaves no file open', async (_when, moment, requests) => {
    const before = openFiles();
    for (let client = 0; client < CLIENTS; client++) await leaveAfter(moment, requests);
    await until(() => openFiles() <= before);
  });
});
