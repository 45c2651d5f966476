import assert from 'node:assert/strict';
import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { temporaryFolder } from 'testing';
import { createReceiver } from '../src/receiver.js';

const secretOf = (/** @type {number} */ byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
const secret = secretOf(1);
const folder = temporaryFolder();

let file = '';
/** @type {string[]} */
let seen = [];
/** @type {import('node:http').Server} */
let server;

async function start() {
  server = createReceiver({
    secrets: [secret],
    file,
    onEvent: ({ id }) => seen.push(id),
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

/** Sends an event. @param {string} id @returns the status */
async function send(id, key = secret) {
  const [what = '', booking = ''] = id.split('-');
  const type = what === 'ping' || what === 'later' ? `bookings.${what}` : `bookings.booking.${what}`;
  const body = JSON.stringify({ specversion: '1.0', id, type, subject: booking, data: { booking_id: booking } });
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

/** @param {string[]} ids */
async function sendAll(...ids) {
  for (const id of ids) assert.equal(await send(id), 204);
}

it('passes every event on once, however often it is sent', async () => {
  await sendAll('created-1', 'created-2', 'created-2', 'created-1', 'deleted-1', 'deleted-1');
  assert.deepEqual(seen, ['created-1', 'created-2', 'deleted-1']);
});

it('acknowledges a creation after its deletion, but does not pass it on', async () => {
  await sendAll('deleted-1', 'created-1', 'created-2');
  assert.deepEqual(seen, ['deleted-1', 'created-2']);
});

it('remembers acknowledged events after a restart', async () => {
  await sendAll('created-1', 'deleted-2');
  await stop();
  seen = [];
  await start();
  await sendAll('created-1', 'created-2', 'created-3');
  assert.deepEqual(seen, ['created-1', 'deleted-2', 'created-3']);
  assert.equal(readFileSync(file, 'utf8').trim().split('\n').length, 4);
});

it('rejects an event that is signed with another secret, so that it is sent again', async () => {
  assert.equal(await send('created-1', secretOf(2)), 503);
  assert.deepEqual(seen, []);
  await sendAll('created-1');
});

it('acknowledges a ping and events of unknown types', async () => {
  await sendAll('ping-1', 'later-1');
  assert.deepEqual(seen, []);
});

it('starts with a file that a crash broke off', async () => {
  await sendAll('created-1');
  await stop();
  appendFileSync(file, '{"specversion":"1.0","id');
  seen = [];
  await start();
  await sendAll('created-2');
  await stop();
  seen = [];
  await start();
  assert.deepEqual(seen, ['created-1', 'created-2']);
});

it('rejects an event that it cannot write', async () => {
  await stop();
  file = join(folder, 'no such folder', 'events.jsonl');
  await start();
  assert.equal(await send('created-1'), 503);
});

it('reads at most a little more than 1 MiB of a body', async () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const endless = request({ port, method: 'POST', headers: { 'transfer-encoding': 'chunked' } });
  const closed = new Promise((done) => endless.on('error', () => {}).once('close', done));
  let sent = 0;
  for (; !endless.destroyed && sent < 256; sent++) {
    await Promise.race([closed, new Promise((done) => endless.write(Buffer.alloc(262_144), done))]);
  }
  assert.ok(sent < 256);
});
