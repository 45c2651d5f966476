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
/** @type {import('node:http').Server} */
let server;

async function start() {
  server = createReceiver({
    secrets: [secret],
    file,
    onBooking: ({ data }) => seen.push(data.booking_id),
    onGap: (last) => seen.push(`gap after ${Number(last)}`),
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
}

async function stop() {
  server.closeAllConnections();
  await once(server.close(), 'close');
}

beforeEach(() => {
  seen = [];
  file = join(folder, `${Math.random()}.jsonl`);
  return start();
});
afterEach(stop);

const digits = (/** @type {number} */ sequence) => String(sequence).padStart(19, '0');

/**
 * Sends an event. @returns the status
 *
 * @param {number} sequence @param {number} previous @param {{ key?: string, type?: string }} options
 */
async function send(sequence, previous = sequence - 1, { key = secret, type = 'bookings.booking.created' } = {}) {
  const id = `created-${sequence}`;
  const data = { booking_id: `booking ${sequence}` };
  const body = JSON.stringify({ specversion: '1.0', id, type, sequence: digits(sequence), data });
  const now = new Date();
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const headers = {
    'content-type': 'application/cloudevents+json; charset=utf-8',
    'webhook-id': id,
    'webhook-timestamp': `${Math.floor(now.getTime() / 1000)}`,
    'webhook-signature': new Webhook(key).sign(id, now, body),
    'bookings-previous-sequence': digits(previous),
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
  appendFileSync(file, '["00000');
  await start();
  await send(1);
  await stop();
  appendFileSync(file, '["0000000000000000001",{"sequ');
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
