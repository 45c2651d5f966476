import type { ProblemDto, SlotDto } from '@booking-service/contracts';
import { type Api, api } from '../support/api.js';
import { aProblem, aResource, aSlot, create, pointersOf, refuseCreate } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

let running: RunningApp;
let service: Api;

beforeAll(async () => {
  running = await startApp();
  service = api(running.url);
});
afterAll(() => running.close());

const refuse = (json: string, status: number, slot?: SlotDto): Promise<ProblemDto> =>
  refuseCreate(service, json, status, slot);

/** Refused for these members of an otherwise good payload, whose slot has to be free afterwards. */
async function refusePayload(members: string, pointer: string): Promise<ProblemDto> {
  const slot = aSlot(aResource());
  const problem = await refuse(`{"slot":${JSON.stringify(slot)},${members}}`, 422, slot);
  expect(problem).toMatchObject(aProblem('invalid-booking'));
  expect(pointersOf(problem)).toEqual([pointer]);
  return problem;
}

const nestedArrays = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

describe('A create is refused, and leaves nothing behind,', () => {
  it.each(['booking_id', 'created_at'])('for %s, which the service sets', async (name) => {
    for (const value of ['"019aa1c2-6d1e-7c3a-9f0b-1f6f2f0d7a55"', 'null']) {
      await refusePayload(`"${name}":${value}`, `#/${name}`);
    }
  });

  it.each([
    ['Slot', 'slot'],
    ['SLOT', 'slot'],
    ['_slot', 'slot'],
    ['s.l-o t', 'slot'],
    ['slot ', 'slot'],
    ['slots', 'slot'],
    ['Slots', 'slot'],
    ['SLOT_S', 'slot'],
    ['bookingId', 'booking_id'],
    ['BookingID', 'booking_id'],
    ['booking-id', 'booking_id'],
    ['booking id', 'booking_id'],
    ['booking_ids', 'booking_id'],
    ['bookingIds', 'booking_id'],
    ['createdAt', 'created_at'],
    ['created-at', 'created_at'],
    ['CREATED_AT', 'created_at'],
    ['createdAts', 'created_at'],
  ])('for the near miss %j, which may mean %s', async (name, meant) => {
    const { errors } = await refusePayload(`${JSON.stringify(name)}:{}`, `#/${encodeURIComponent(name)}`);
    expect(errors?.[0]?.detail).toContain(`did you mean \`${meant}\`?`);
  });

  it.each([
    ['all of a slot', { resource_id: 'room-1', start: '2026-12-01T09:00:00Z', end: '2026-12-01T10:00:00Z' }],
    ['its resource and start', { resource_id: 'room-1', start: '2026-12-01T09:00:00Z', guest: 'Ada' }],
    ['its resource and end, whatever they are', { end: null, resource_id: {} }],
  ])('for %s that is not wrapped, and would hold nothing', async (_, payload) => {
    const problem = await refuse(JSON.stringify(payload), 422);
    expect(problem).toMatchObject(aProblem('invalid-booking'));
    expect(pointersOf(problem)).toEqual(['#/resource_id']);
    expect(problem.errors?.[0]?.detail).toContain('did you mean `slot`: { "resource_id": …, "start": …, "end": … }?');
  });

  it.each([
    ['a resource alone', { resource_id: 'room-1' }],
    ['a window alone', { start: '2026-12-01T09:00:00Z', end: '2026-12-01T10:00:00Z' }],
    ['a slot of their own further down', { trip: { resource_id: 'bus', start: 1, end: 2 } }],
    ['names that only begin with a reserved one', { slotted: 1, slotss: 2, time_slots: 3, slots_of: 4 }],
    ['all of a slot beside the slot', { slot: aSlot(aResource()), resource_id: 'bus', start: 1, end: 2 }],
  ])('but not for %s', async (_, payload) => {
    await create(service, payload);
  });

  it.each([
    ['__proto__ as a name', '"__proto__":{}', '#/__proto__'],
    ['__proto__ as a name further down', '"a":[{"__proto__":1}]', '#/a/0/__proto__'],
    ['__proto__ written with an escape', '"a":{"__\\u0070roto__":1}', '#/a/__proto__'],
    ['a lone high surrogate', '"a":"x\\ud800"', '#/a'],
    ['a lone low surrogate', '"a":{"b":["\\udc00x"]}', '#/a/b/0'],
    ['surrogates in the wrong order', '"a":"\\udc00\\ud800"', '#/a'],
    ['a lone surrogate in a name', '"a":{"\\ud800":1}', '#/a/%EF%BF%BD'],
    ['U+0000', '"a":"\\u0000"', '#/a'],
    ['U+0000 in a name', '"a":{"b\\u0000":1}', '#/a/b%00'],
    ['a number that is not finite', '"a":1e400', '#/a'],
    ['a negative number that is not finite', '"a":[0,-1e400]', '#/a/1'],
    ['an integer beyond the safe range', '"a":9007199254740992', '#/a'],
    ['a negative integer beyond the safe range', '"a":-9007199254740992', '#/a'],
    ['an integer that only its exponent makes large', '"a":{"b":1e21}', '#/a/b'],
    ['a name that a pointer has to escape', '"a/b~c":1e400', '#/a~1b~0c'],
  ])('for %s', async (_, members, pointer) => {
    await refusePayload(members, pointer);
  });

  it('for more than 32 levels, the root counted, at the level where they are', async () => {
    await refusePayload(`"a":${nestedArrays(32)}`, `#/a${'/0'.repeat(31)}`);
    await refusePayload(`"a":${'{"b":'.repeat(31)}{}${'}'.repeat(31)}`, `#/a${'/b'.repeat(31)}`);
    await service
      .post('/v1/bookings')
      .type('json')
      .send(`{"a":${nestedArrays(31)}}`)
      .expect(201);
  });

  it('for 32,000 levels, which crash nothing', async () => {
    const problem = await refuse(`{"a":${nestedArrays(32_000)}}`, 422);
    expect(problem).toMatchObject(aProblem('invalid-booking'));
  });

  it.each(['[]', '[{}]', '"text"', '1', 'true', 'false', 'null', nestedArrays(40)])(
    'for %s, which is JSON but no object',
    async (json) => {
      const problem = await refuse(json, 422);
      expect(problem).toMatchObject(aProblem('invalid-booking'));
      expect(pointersOf(problem)).toEqual(['#']);
    },
  );

  it.each(['{', '{"a":1,}', "{'a':1}", '{a:1}', '{"a":NaN}', '{"a":01}', '{"a":1}x', '{}{}', '{"a":"\t"}', '{/**/}'])(
    'for %j, which is no JSON',
    async (text) => {
      expect(await refuse(text, 400)).toMatchObject(aProblem('invalid-request'));
    },
  );

  it('with every fault named, at most 20 of them', async () => {
    const one = await refuse('{"booking_id":1,"slot":{"resource_id":"","start":"x"},"b":1e400}', 422);
    expect(new Set(pointersOf(one))).toEqual(new Set(['#/booking_id', '#/b']));
    const many = await refuse(`{"a":[${'1e400,'.repeat(5_000)}0]}`, 422);
    expect(many.errors).toHaveLength(20);
  });
});
