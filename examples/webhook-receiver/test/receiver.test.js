import assert from 'node:assert/strict';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { createReceiver } from '../src/receiver.js';

const secretOf = (/** @type {number} */ byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
const secret = secretOf(1);
const folder = mkdtempSync(join(tmpdir(), 'webhook-receiver-'));
after(() => rmSync(folder, { recursive: true }));

let file = '';
/** @type {string[]} */
let seen = [];
/** @type {string[]} */
let faults = [];
/** @type {import('node:http').Server} */
let server;

async function start() {
  server = createReceiver({
    secrets: [secret],
    file,
    onEvent: ({ data }) => seen.push(data.booking_id),
    onGap: (last) => seen.push(`gap after ${Number(last)}`),
    onFault: (error) => faults.push(String(error)),
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
}

async function stop() {
  server.closeAllConnections();
  await once(server.close(), 'close');
}

beforeEach(() => {
  seen = [];
  faults = [];
  file = join(folder, `${Math.random()}.jsonl`);
  return start();
});
afterEach(stop);

const CREATED = 'bookings.booking.created';
const digits = (/** @type {number} */ sequence) => String(sequence).padStart(19, '0');

/**
 * Sends an event. @returns the status
 *
 * @param {number} sequence @param {number} previous @param {{ key?: string, type?: string, booking?: number }} options
 */
async function send(sequence, previous = sequence - 1, { key = secret, type = CREATED, booking = sequence } = {}) {
  const id = `created-${booking}`;
  const data = { booking_id: `booking ${booking}` };
  const places = { sequence: digits(sequence), previous: digits(previous) };
  const body = JSON.stringify({ specversion: '1.0', id, type, ...places, data });
  const now = new Date();
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const headers = {
    'content-type': 'application/cloudevents+json; charset=utf-8',
    'webhook-id': id,
    'webhook-timestamp': `${Math.floor(now.getTime() / 1000)}`,
    'webhook-signature': new Webhook(key).sign(id, now, body),
  };
  return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })).status;
}

it('hands every booking on, once, however often it is sent', async () => {
  for (const sequence of [1, 2, 2, 1, 3, 3]) assert.equal(await send(sequence), 204);
  assert.deepEqual(seen, ['booking 1', 'booking 2', 'booking 3']);
});

it('hands them on in the order of creation, and says where one is missing', async () => {
  for (const sequence of [1, 4, 3, 4, 2]) assert.equal(await send(sequence), 204);
  assert.deepEqual(seen, ['booking 1', 'gap after 1', 'gap after 1', 'booking 2', 'booking 3', 'booking 4']);
});

it('knows that a filter leaves numbers out', async () => {
  await send(7, 0);
  await send(20, 9);
  await send(9, 7);
  assert.deepEqual(seen, ['booking 7', 'gap after 7', 'booking 9', 'booking 20']);
});

it('knows after a restart what it acknowledged', async () => {
  for (const sequence of [1, 2, 4]) await send(sequence);
  await stop();
  seen = [];
  await start();
  for (const sequence of [2, 4, 3]) assert.equal(await send(sequence), 204);
  assert.deepEqual(seen, ['booking 1', 'booking 2', 'gap after 2', 'booking 3', 'booking 4']);
  assert.equal(readFileSync(file, 'utf8').trim().split('\n').length, 4);
});

it('takes deletions in their order, also one in the place of the event of the creation', async () => {
  const type = 'bookings.booking.deleted';
  assert.equal(await send(1, 0, { type }), 204);
  assert.equal(await send(3), 204);
  assert.equal(await send(2, 1, { type }), 204);
  assert.deepEqual(seen, ['booking 1', 'gap after 1', 'booking 2', 'booking 3']);
});

it('complains of a known sequence with another id, and takes that event under a new sequence', async () => {
  for (const sequence of [1, 2]) await send(sequence);
  for (let attempt = 0; attempt < 2; attempt++) assert.equal(await send(2, 1, { booking: 20 }), 503);
  assert.match(faults[0] ?? '', /created-20 has the sequence of created-2\. Ask the operator: `webhooks renumber`/);
  assert.equal(await send(1_000_002, 1, { booking: 20 }), 204);
  assert.equal(await send(1_000_003), 204);
  assert.deepEqual(seen, ['booking 1', 'booking 2', 'booking 20', 'booking 1000003']);
});

it('hands on once what comes again with another sequence after a restore, and waits for nothing', async () => {
  for (const sequence of [1, 2]) await send(sequence);
  assert.equal(await send(1_000_002, 1, { booking: 2 }), 204);
  assert.equal(await send(1_000_003), 204);
  assert.deepEqual(seen, ['booking 1', 'booking 2', 'booking 1000003']);
});

it('takes nothing that is signed with another secret, and has it sent again', async () => {
  assert.equal(await send(1, 0, { key: secretOf(2) }), 503);
  assert.deepEqual(seen, []);
  assert.equal(await send(1), 204);
});

it('acknowledges a ping and what it does not know', async () => {
  for (const type of ['bookings.ping', 'bookings.later']) assert.equal(await send(1, 0, { type }), 204);
  assert.deepEqual(seen, []);
});

it('starts with what a crash left of its file, and takes again what broke off', async () => {
  await stop();
  appendFileSync(file, '{"spec');
  await start();
  await send(1);
  await stop();
  appendFileSync(file, '{"specversion":"1.0","sequ');
  seen = [];
  await start();
  for (const sequence of [2, 3]) assert.equal(await send(sequence), 204);
  await stop();
  seen = [];
  await start();
  assert.deepEqual(seen, ['booking 1', 'booking 2', 'booking 3']);
});

it('acknowledges nothing that it cannot keep', async () => {
  await stop();
  file = join(folder, 'no such folder', 'events.jsonl');
  await start();
  assert.equal(await send(1), 503);
});
