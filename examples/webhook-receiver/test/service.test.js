import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { BookingsClient } from '@booking-service/client';
import { aSecret, LocalPostgres, ServiceProcess, temporaryFolder, until, webhookSettings } from 'testing';
import { createReceiver } from '../src/receiver.js';

const secret = aSecret();
const postgres = await LocalPostgres.start();
/** @type {import('../src/receiver.js').BookingEvent[]} */
const events = [];
/** @type {unknown[]} */
const errors = [];
const server = createReceiver({
  secrets: [secret],
  file: join(temporaryFolder(), 'events.jsonl'),
  onEvent: (event) => events.push(event),
  onError: (error) => errors.push(error),
});
await once(server.listen(0, '127.0.0.1'), 'listening');

after(async () => {
  server.closeAllConnections();
  server.close();
  await postgres.stop();
});

/** Creates bookings at once, one of them with a slot. @param {string} baseUrl @param {number} count */
async function book(baseUrl, count) {
  const bookings = new BookingsClient({ baseUrl });
  const slot = { resource_id: `room ${count}`, start: '2027-01-01T09:00:00Z', end: '2027-01-01T10:00:00Z' };
  const payloads = Array.from({ length: count }, (_, index) => ({
    guest: `Zoë ${index}`,
    ...(index === 0 && { slot }),
  }));
  return Promise.all(payloads.map(async (payload) => JSON.stringify(await bookings.create(payload))));
}

it('receives every booking of a service that is killed in between', async () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const service = await ServiceProcess.start({
    ...webhookSettings({ name: 'example', url: `http://127.0.0.1:${port}/`, secrets: [secret] }),
    DATABASE_URL: postgres.url('postgres'),
  });
  const made = await book(service.url, 60);
  await service.stop('SIGKILL');
  await service.restart();
  made.push(...(await book(service.url, 20)));
  await until(() => events.length >= made.length);
  await service.stop();
  assert.deepEqual(events.map((event) => JSON.stringify(event.data)).toSorted(), made.toSorted());
  assert.deepEqual(errors, []);
});
