import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { LocalPostgres, programOf, ServiceProcess } from 'testing';
import { createReceiver } from '../src/receiver.js';

const folder = mkdtempSync(join(tmpdir(), 'webhook-receiver-'));
const data = mkdtempSync(join(tmpdir(), 'webhook-receiver-data-'));
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** @type {LocalPostgres} */
let postgres;
before(async () => void (postgres = await LocalPostgres.start(data)));
after(async () => {
  await postgres.stop();
  for (const each of [folder, data]) rmSync(each, { recursive: true, force: true });
});

/** A receiver, and the settings of a service that has it for its endpoint. */
async function receiver() {
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
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const file = join(folder, 'webhooks.json');
  const endpoint = { name: 'example', url: `http://127.0.0.1:${port}/`, secrets: [secret], from: 'first' };
  writeFileSync(file, JSON.stringify({ endpoints: [endpoint] }));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  const settings = { DATABASE_URL: postgres.url('postgres'), WEBHOOKS_FILE: file, WEBHOOKS_ALLOW_PRIVATE: 'true' };
  return { events, errors, stop, settings };
}

const HOUR = 3_600_000;

/** Makes bookings of three resources and of none, eight at a time. @returns the JSON of each, in any order */
async function book(/** @type {string} */ url, /** @type {number} */ count, first = 0) {
  /** @type {string[]} */
  const made = [];
  const numbers = Array.from({ length: count }, (_, index) => first + index).values();
  const worker = async () => {
    for (const number of numbers) {
      const [start, end] = [number, number + 1].map((each) =>
        new Date(Date.UTC(2027, 0, 1) + each * HOUR).toISOString(),
      );
      const slot = number % 4 === 3 ? undefined : { resource_id: `room-${number % 4}`, start, end };
      const body = JSON.stringify({ slot, guest: `Zoë ${number}` });
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${url}/v1/bookings`, { method: 'POST', headers, body });
      assert.equal(response.status, 201);
      made.push(await response.text());
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return made;
}

/** @param {unknown[]} events @param {number} count */
async function arrived(events, count) {
  for (const deadline = Date.now() + 60_000; events.length < count && Date.now() < deadline;) await sleep(20);
}

it('receives every booking of a service that is killed in between, and a deletion', async () => {
  const { events, errors, stop, settings } = await receiver();
  let service = await ServiceProcess.start(settings);
  const made = await book(service.url, 60);
  await service.stop('SIGKILL');
  service = await ServiceProcess.start(settings);
  made.push(...(await book(service.url, 20, 60)));
  await arrived(events, made.length);
  const { booking_id: id } = /** @type {{ booking_id: string }} */ (JSON.parse(made[7] ?? ''));
  const env = { DATABASE_URL: settings.DATABASE_URL };
  await promisify(execFile)(process.execPath, [programOf('cli/booking.js'), 'delete', id, '--yes'], { env });
  await arrived(events, made.length + 1);
  await service.stop();
  stop();
  const deleted = events.pop();
  assert.equal(deleted?.id, `deleted-${id}`);
  assert.deepEqual(events.map(({ data }) => JSON.stringify(data)).toSorted(), made.toSorted());
  assert.deepEqual(errors, []);
});
