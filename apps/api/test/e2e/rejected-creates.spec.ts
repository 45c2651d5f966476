import { untilClosed } from 'testing';
import { exchange, head } from 'testing/raw-http';
import { type Api, api } from '../support/api.js';
import { aKey, aProblem, aResource, aSlot, create, list } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

let running: RunningApp;
let service: Api;
const [taken, usedKey] = [aSlot(aResource()), aKey()];

beforeAll(async () => {
  running = await startApp();
  service = api(running.url);
  await create(service, { slot: taken });
  await service.post('/v1/bookings').set('Idempotency-Key', usedKey).send({ first: true }).expect(201);
});
afterAll(() => running.close());

/** A create with a slot and a key that are free, unless it says otherwise. */
interface Rejected {
  body: string | Buffer;
  headers?: Record<string, string>;
}

const slot = aSlot(aResource());
const key = aKey();
const inSlot = (members: object): string => JSON.stringify({ slot: { ...slot, ...members } });
const besideSlot = (members: string): string => `{"slot":${JSON.stringify(slot)},${members}}`;

describe('A rejected create leaves nothing: no booking, no key, no slot', () => {
  it.each<[string, Parameters<typeof aProblem>[0], Rejected]>([
    ['a key that is none', 'invalid-request', { body: inSlot({}), headers: { 'Idempotency-Key': 'two keys' } }],
    ['a body that is too large', 'payload-too-large', { body: besideSlot(`"a":"${'x'.repeat(65_536)}"`) }],
    ['an encoded body', 'unsupported-media-type', { body: inSlot({}), headers: { 'Content-Encoding': 'gzip' } }],
    ['another type', 'unsupported-media-type', { body: inSlot({}), headers: { 'Content-Type': 'text/plain' } }],
    ['a body that is not UTF-8', 'invalid-request', { body: Buffer.from(besideSlot('"a":"é"'), 'latin1') }],
    ['malformed JSON', 'invalid-request', { body: inSlot({}).slice(0, -1) }],
    ['JSON that is not an object', 'invalid-booking', { body: `[${inSlot({})}]` }],
    ['a member that the service sets', 'invalid-booking', { body: besideSlot('"booking_id":"mine"') }],
    ['a near miss', 'invalid-booking', { body: besideSlot('"slots":[]') }],
    ['`__proto__`', 'invalid-booking', { body: besideSlot('"__proto__":1') }],
    ['U+0000', 'invalid-booking', { body: besideSlot('"a":"\\u0000"') }],
    ['a number that is not finite', 'invalid-booking', { body: besideSlot('"a":1e400') }],
    ['33 levels', 'invalid-booking', { body: besideSlot(`"a":${'['.repeat(32)}${']'.repeat(32)}`) }],
    ['another member of the slot', 'invalid-booking', { body: inSlot({ note: 1 }) }],
    ['a slot that ends at its start', 'invalid-booking', { body: inSlot({ end: slot.start }) }],
    ['a used key', 'idempotency-key-reused', { body: inSlot({}), headers: { 'Idempotency-Key': usedKey } }],
    ['a taken slot', 'slot-taken', { body: JSON.stringify({ slot: taken }) }],
  ])('%s', async (_, name, { body, headers }) => {
    const before = await list(service, { limit: 100 });
    const all = { 'Content-Type': 'application/json', 'Idempotency-Key': key, ...headers };
    const lines = Object.entries(all).map(([header, value]) => `${header}: ${value}`);
    const length = `Content-Length: ${Buffer.byteLength(body)}`;
    const response = await exchange(running.url, head('POST /v1/bookings', ...lines, length), body);
    expect(JSON.parse(response.text)).toMatchObject(aProblem(name));
    expect(response.headers).not.toHaveProperty('location');
    expect(await list(service, { limit: 100 })).toEqual(before);
  });

  it.each([
    ['with a length', `${head('POST /v1/bookings', 'Content-Type: application/json', 'Content-Length: 999')}{"a":1}`],
    [
      'in chunks',
      `${head('POST /v1/bookings', 'Content-Type: application/json', 'Transfer-Encoding: chunked')}2\r\n{}\r\n`,
    ],
  ])('a body that breaks off, %s', async (_, bytes) => {
    const before = await list(service, { limit: 100 });
    await untilClosed(running.url, bytes, { halfClose: true });
    expect(await list(service, { limit: 100 })).toEqual(before);
  });

  it('so that the key and the slot of all of these are free', async () => {
    const { headers } = await service.post('/v1/bookings').set('Idempotency-Key', key).send({ slot }).expect(201);
    expect(headers).not.toHaveProperty('idempotent-replayed');
  });
});
