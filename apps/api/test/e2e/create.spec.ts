import type { BookingDto } from '@booking-service/contracts';
import { type Api, api } from '../support/api.js';
import { aKey, aResource, aSlot, create } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

let running: RunningApp;
let service: Api;

beforeAll(async () => {
  running = await startApp();
  service = api(running.url);
});
afterAll(() => running.close());

/** Sends JSON as it is written, and gives the booking as it is written. */
async function createFrom(json: string): Promise<{ text: string; booking: BookingDto }> {
  const { text, body } = await service.post('/v1/bookings').type('json').send(json).expect(201);
  return { text, booking: body as BookingDto };
}

function nested(levels: number): unknown {
  return levels === 1 ? {} : { inner: nested(levels - 1) };
}

describe('A new booking', () => {
  it('needs no member: it has an id, the time it was made at, and nothing else', async () => {
    const earliest = Date.now();
    const booking = await create(service, {});
    expect(Object.keys(booking)).toEqual(['booking_id', 'created_at']);
    expect(booking.booking_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(booking.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Date.parse(booking.created_at)).toBeGreaterThanOrEqual(earliest);
    expect(Date.parse(booking.created_at)).toBeLessThanOrEqual(Date.now());
  });

  it('is named by Location, and its ETag is that of a later get', async () => {
    const created = await service.post('/v1/bookings').send({ note: 'window seat' }).expect(201);
    expect(created.headers['location']).toBe(`/v1/bookings/${(created.body as BookingDto).booking_id}`);
    const got = await service.get(created.headers['location']!).expect(200);
    expect(got.text).toBe(created.text);
    expect(got.headers['etag']).toBe(created.headers['etag']);
    expect(got.headers['etag']).toMatch(/^"[!#-~]+"$/);
  });

  it('has an id and an ETag of its own, also where the payloads are the same', async () => {
    const responses = [await service.post('/v1/bookings').send({}), await service.post('/v1/bookings').send({})];
    expect(new Set(responses.map(({ body }) => (body as BookingDto).booking_id)).size).toBe(2);
    expect(new Set(responses.map(({ headers }) => headers['etag'] as string)).size).toBe(2);
  });

  it('has one rendering: create, replay, get and list show the same bytes', async () => {
    const resource = aResource();
    const payload = { zeta: 'Łódź \u{1F6AA}', slot: aSlot(resource), alpha: [1.5, { b: null, a: '"' }], 7: 'seven' };
    const send = () => service.post('/v1/bookings').set('Idempotency-Key', key).send(payload).expect(201);
    const key = aKey();
    const { text, body } = await send();
    const { booking_id } = body as BookingDto;
    expect((await send()).text).toBe(text);
    expect((await service.get(`/v1/bookings/${booking_id}`)).text).toBe(text);
    const listed = await service.get('/v1/bookings').query({ resource_id: resource });
    expect(listed.text).toBe(`{"bookings":[${text}],"next_cursor":null}`);
  });
});

describe('The details', () => {
  it.each([
    ['values of every kind', { z: 1, a: 'x', m: true, n: null, e: [], o: {}, t: '' }],
    ['deep ones in the order they were sent', { b: { z: [{ y: 1, x: [[2]] }], a: 0 }, a: -1.5e-7 }],
    [
      'text of every script, escapes and separators',
      { 'имя ключа': 'Łódź \u{1F6AA} e\u0301 \u2028 \t "\\/ \u007f <b>' },
    ],
    ['the largest safe integers', { most: 9007199254740991, least: -9007199254740991, tiny: 5e-324 }],
    [
      'names that mean something to JavaScript',
      { constructor: 1, toString: { valueOf: null }, toJSON: 2, prototype: [] },
    ],
    [
      'names like those of other services',
      { id: 1, status: 'open', slot_ids: [], resource_id: 'x', starts: 'now', ends: 0 },
    ],
    ['an empty name', { '': { '': '' } }],
    ['reserved names below the top', { guest: { slot: null, booking_id: 1, created_at: 'x', Slot: 2, bookingId: 3 } }],
    ['32 levels, the root counted', nested(32)],
  ])('come back as they were sent: %s', async (_, details) => {
    const json = JSON.stringify(details);
    const { text, booking } = await createFrom(json);
    const { booking_id, created_at } = booking;
    const expected = `{"booking_id":"${booking_id}","created_at":"${created_at}",${json.slice(1)}`;
    expect(text).toBe(expected.replace(/,\}$/, '}'));
  });

  it('come back with the same values where their names look like integers, wherever those stand', async () => {
    const { booking } = await createFrom('{"b":1,"10":"ten","9":{"2":"two","1":"one"}}');
    expect(booking).toMatchObject({ b: 1, 10: 'ten', 9: { 2: 'two', 1: 'one' } });
  });

  it('keep the last of two members of one name', async () => {
    const { booking } = await createFrom('{"a":1,"b":{"c":1,"c":2},"a":{"last":true}}');
    expect(booking).toMatchObject({ a: { last: true }, b: { c: 2 } });
  });
});

describe('A slot', () => {
  it('is left out of a booking that has none', async () => {
    expect(await create(service, { note: 'no slot' })).not.toHaveProperty('slot');
  });

  it('is returned whole, before the details, in the order resource_id, start, end', async () => {
    const resource = aResource();
    const { end, start, resource_id } = aSlot(resource, 9, 10.5);
    const { text } = await createFrom(JSON.stringify({ note: 1, slot: { end, start, resource_id } }));
    const slot = `{"resource_id":"${resource}","start":"2026-12-01T09:00:00.000Z","end":"2026-12-01T10:30:00.000Z"}`;
    expect(text).toContain(`Z","slot":${slot},"note":1}`);
  });

  it.each([
    ['2026-12-01T09:00:00Z', '2026-12-01T09:00:00.000Z'],
    ['2026-12-01T09:00:00.5Z', '2026-12-01T09:00:00.500Z'],
    ['2026-12-01T09:00:00.05Z', '2026-12-01T09:00:00.050Z'],
    ['2026-12-01T09:00:00.005Z', '2026-12-01T09:00:00.005Z'],
    ['2026-12-01T09:00:00+05:30', '2026-12-01T03:30:00.000Z'],
    ['2026-12-01T00:00:00-23:59', '2026-12-01T23:59:00.000Z'],
    ['2026-12-01T09:00:00-00:00', '2026-12-01T09:00:00.000Z'],
    ['2026-12-31T23:59:59.999-01:00', '2027-01-01T00:59:59.999Z'],
    ['2028-02-29T12:00:00Z', '2028-02-29T12:00:00.000Z'],
    ['2000-02-29T12:00:00Z', '2000-02-29T12:00:00.000Z'],
    ['0099-06-01T00:00:00Z', '0099-06-01T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0001-01-01T05:00:00+05:00', '0001-01-01T00:00:00.000Z'],
    ['0000-12-31T23:00:00-01:00', '0001-01-01T00:00:00.000Z'],
  ])('may start at %s, which is returned as %s', async (start, returned) => {
    const slot = { resource_id: aResource(), start, end: '9999-12-31T23:59:59.999Z' };
    expect((await create(service, { slot })).slot).toEqual({ ...slot, start: returned });
  });

  it('may be one millisecond long', async () => {
    const slot = { resource_id: aResource(), start: '2026-12-01T09:00:00.000Z', end: '2026-12-01T09:00:00.001Z' };
    expect((await create(service, { slot })).slot).toEqual(slot);
  });

  it.each([
    ['one character', 'x'],
    ['a space', ' '],
    ['200 characters', 'é'.repeat(200)],
    ['200 code points beyond the basic plane', '\u{1F6AA}'.repeat(200)],
    ['quotes, slashes and percent signs', '"\\/%00%2F#?&=+'],
    ['what looks like another type', 'null'],
    ['what JavaScript calls its own', '__proto__'],
    ['separators that are no control characters', '\u00a0\u2028\u200b\ufeff'],
  ])('may name its resource with %s', async (_, resource_id) => {
    const slot = { ...aSlot(resource_id) };
    expect((await create(service, { slot })).slot).toEqual(slot);
    const listed = await service.get('/v1/bookings').query({ resource_id }).expect(200);
    expect((listed.body as { bookings: BookingDto[] }).bookings.map((booking) => booking.slot)).toEqual([slot]);
  });
});
