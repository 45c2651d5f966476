import type { BookingDto } from '@booking-service/contracts';
import { exchange } from 'testing/raw-http';
import { type Api, api } from '../support/api.js';
import { aKey, aProblem, aResource, aSlot, create, list } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

let running: RunningApp;
let service: Api;
let resource: string;
let key: string;

beforeAll(async () => {
  running = await startApp();
  service = api(running.url);
});
afterAll(() => running.close());
beforeEach(() => {
  resource = aResource();
  key = aKey();
});

/** Creates under a key, from an object or from JSON as it is written. */
const post = (payload: string | object, header = key) =>
  service.post('/v1/bookings').type('json').set('Idempotency-Key', header).send(payload);

describe('An idempotency key', () => {
  it('gets the first response again, byte for byte', async () => {
    const payload = { slot: aSlot(resource), z: 1, a: 'é' };
    const first = await post(payload).expect(201);
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    for (let attempt = 0; attempt < 2; attempt++) {
      const again = await post(payload).expect(201);
      expect(again.text).toBe(first.text);
      expect(again.headers['location']).toBe(first.headers['location']);
      expect(again.headers['etag']).toBe(first.headers['etag']);
      expect(again.headers['content-type']).toBe(first.headers['content-type']);
      expect(again.headers['idempotent-replayed']).toBe('true');
    }
    expect((await list(service, { resource_id: resource })).bookings).toEqual([first.body]);
  });

  it('is the same bare and in double quotes', async () => {
    const first = await post({}, key).expect(201);
    const again = await post({}, `"${key}"`).expect(201);
    expect(again.text).toBe(first.text);
  });

  it.each(["!#$%&'()*+,-./:;<=>?@[]^_`{|}~", 'k'.repeat(255), '0'])(
    'may be %s, bare or in double quotes',
    async (name) => {
      const first = await post({ name }, name).expect(201);
      expect((await post({ name }, `"${name}"`).expect(201)).text).toBe(first.text);
    },
  );

  it('is another one in another case', async () => {
    const ids = [await post({}, `${key}k`), await post({}, `${key}K`)].map(
      ({ body }) => (body as BookingDto).booking_id,
    );
    expect(new Set(ids).size).toBe(2);
  });

  it.each([
    ['is empty', ['']],
    ['is a space', [' ']],
    ['is empty in quotes', ['""']],
    ['is sent twice', ['a', 'b']],
    ['is sent twice, the same', ['a', 'a']],
    ['is sent twice, both in quotes', ['"a"', '"b"']],
    ['is sent twice, once empty', ['a', '']],
    ['has 256 characters', ['k'.repeat(256)]],
    ['has 256 characters in quotes', [`"${'k'.repeat(256)}"`]],
    ['has an opening quote only', ['"half']],
    ['has a closing quote only', ['half"']],
    ['has a quote within', ['a"b']],
    ['has a quote within quotes', ['"a"b"']],
    ['has an escaped quote', ['"a\\"b"']],
    ['has a backslash', ['a\\b']],
    ['has a space within', ['a b']],
    ['has a tab within', ['a\tb']],
    ['has a parameter', ['"a";q=1']],
    ['has a parameter after a space', ['a; q=1']],
    ['is a list', ['"a", "b"']],
    ['is not ASCII', ['\u00e9']],
  ])('is refused if it %s', async (_, values) => {
    const lines = values.map((value) => `Idempotency-Key: ${value}\r\n`).join('');
    const request = `POST /v1/bookings HTTP/1.1\r\nHost: localhost\r\n${lines}Content-Length: 0\r\n\r\n`;
    const before = await list(service);
    const { status, text } = await exchange(running.url, Buffer.from(request, 'latin1'));
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject(aProblem('invalid-request'));
    expect(await list(service)).toEqual(before);
  });
});

describe('The payload under a key', () => {
  it('is the same in another order, with other white space, numbers and escapes', async () => {
    const slot = aSlot(resource);
    const first = await post(`{"slot":${JSON.stringify(slot)},"a":{"x":1,"y":[1.0,2]},"b":"é"}`).expect(201);
    const { resource_id, start, end } = slot;
    const again = await post(
      ` {\n"b":"\\u00e9" , "a":{"y":[1,2e0],"x":1}, "slot":${JSON.stringify({ end, start, resource_id })} }`,
    ).expect(201);
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotent-replayed']).toBe('true');
  });

  it('is the empty object where the body is missing', async () => {
    const first = await service.post('/v1/bookings').set('Idempotency-Key', key).expect(201);
    expect((await post('{}').expect(201)).text).toBe(first.text);
  });

  it.each([
    ['another value', { a: [1, 2] }, { a: [1, 3] }],
    ['another order within a list', { a: [1, 2] }, { a: [2, 1] }],
    ['another type', { a: 1 }, { a: '1' }],
    ['one member more', { a: 1 }, { a: 1, b: null }],
    ['another normalisation', { a: 'é' }, { a: 'e\u0301' }],
    ['another case', { a: 'a' }, { a: 'A' }],
    ['the same name elsewhere', { a: { b: 1 } }, { a: {}, b: 1 }],
  ])('is another one with %s', async (_, first, second) => {
    const kept = await post(first).expect(201);
    const before = await list(service);
    const { body } = await post(second).expect(422);
    expect(body).toMatchObject(aProblem('idempotency-key-reused'));
    expect(await list(service)).toEqual(before);
    expect((await post(first).expect(201)).text).toBe(kept.text);
  });

  it('is another one if the same instant is written in another way: it counts as it was sent', async () => {
    const slot = { resource_id: resource, start: '2026-12-01T09:00:00Z', end: '2026-12-01T10:00:00Z' };
    await post({ slot }).expect(201);
    const { body } = await post({ slot: { ...slot, start: '2026-12-01T10:00:00+01:00' } }).expect(422);
    expect(body).toMatchObject(aProblem('idempotency-key-reused'));
    await post({ slot }).expect(201);
  });
});

describe('A create under a key', () => {
  it('has its payload validated before the key is judged', async () => {
    await post({ a: 1 }).expect(201);
    const { body } = await post({ booking_id: 'mine' }).expect(422);
    expect(body).toMatchObject(aProblem('invalid-booking'));
  });

  it('has the key judged before the slot', async () => {
    await create(service, { slot: aSlot(resource) });
    await post({ note: 'kept' }).expect(201);
    const { body } = await post({ slot: aSlot(resource) }).expect(422);
    expect(body).toMatchObject(aProblem('idempotency-key-reused'));
  });

  it('replays while its own slot is held, by itself', async () => {
    const payload = { slot: aSlot(resource) };
    const first = await post(payload).expect(201);
    await service.post('/v1/bookings').send(payload).expect(409);
    expect((await post(payload).expect(201)).text).toBe(first.text);
  });

  it('that is refused does not keep the key', async () => {
    await create(service, { slot: aSlot(resource) });
    await post({ slot: aSlot(resource) }).expect(409);
    await post({ Slot: 1 }).expect(422);
    await post('{').expect(400);
    const kept = await post({ slot: aSlot(resource, 12) }).expect(201);
    expect(kept.headers).not.toHaveProperty('idempotent-replayed');
  });

  it('is judged anew after a refusal: the same payload is refused again, and taken once it may be', async () => {
    await create(service, { slot: aSlot(resource) });
    await post({ slot: aSlot(resource) }).expect(409);
    await post({ slot: aSlot(resource) }).expect(409);
    await post({ slot: aSlot(resource, 10) }).expect(201);
  });

  it('makes one booking of 20 duplicates at once, and returns it to all', async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => post({ slot: aSlot(resource), note: 'once' })),
    );
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 201));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(new Set(responses.map(({ headers }) => headers['location'] as string)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
    expect((await list(service, { resource_id: resource })).bookings).toHaveLength(1);
  });

  it('makes one booking of 20 duplicates at once also without a slot', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => post({ note: key })));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 201));
  });

  it('makes one booking of 20 different payloads at once, and refuses the others', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, (_, n) => post({ n })));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { body } of responses.filter(({ status }) => status !== 201)) {
      expect(body).toMatchObject(aProblem('idempotency-key-reused'));
    }
  });
});
