import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { BookingsClient } from '@booking-service/client';
import { aSecret, LocalPostgres, ServiceProcess, until } from 'testing';
import { createReceiver } from '../src/receiver.js';

const folder = mkdtempSync(join(tmpdir(), 'webhook-receiver-'));
const data = mkdtempSync(join(tmpdir(), 'webhook-receiver-data-'));
const secret = aSecret();
const postgres = await LocalPostgres.start(data);
/** @type {import('../src/receiver.js').BookingEvent[]} */
const events = [];
/** @type {unknown[]} */
const errors = [];
const server = createReceiver({
  secrets: [secret],
  file: join(folder, 'events.jsonl'),
  onEvent: (event) => events.push(event),
  onError: (error) => errors.push(error),
});
await once(server.listen(0, '127.0.0.1'), 'listening');

after(async () => {
  server.closeAllConnections();
  server.close();
  await postgres.stop();
  for (const each of [folder, data]) rmSync(each, { recursive: true, force: true });
});

/** Starts a service that has the receiver for its endpoint. */
async function startService() {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const file = join(folder, 'webhooks.json');
  const endpoint = { name: 'example', url: `http://127.0.0.1:${port}/`, secrets: [secret], from: 'first' };
  writeFileSync(file, JSON.stringify({ endpoints: [endpoint] }));
  const settings = { DATABASE_URL: postgres.url('postgres'), WEBHOOKS_FILE: file, WEBHOOKS_ALLOW_PRIVATE: 'true' };
  return ServiceProcess.start(settings);
}

/** Makes bookings, with a slot and without, all at once. @param {string} baseUrl @param {number} count */
async function book(baseUrl, count) {
  const bookings = new BookingsClient({ baseUrl });
  const slot = { resource_id: baseUrl, start: '2027-01-01T09:00:00Z', end: '2027-01-01T10:00:00Z' };
  const payloads = Array.from({ length: count }, (_, index) => ({
    guest: `Zoë ${index}`,
    ...(index === 0 && { slot }),
  }));
  return Promise.all(payloads.map(async (payload) => JSON.stringify(await bookings.create(payload))));
}

it('receives every booking of a service that is killed in between', async () => {
  let service = await startService();
  const made = await book(service.url, 60);
  await service.stop('SIGKILL');
  service = await startService();
  made.push(...(await book(service.url, 20)));
  await until(() => events.length >= made.length);
  await service.stop();
  assert.deepEqual(events.map((event) => JSON.stringify(event.data)).toSorted(), made.toSorted());
  assert.deepEqual(errors, []);
});
