import type { ProblemDto } from '@booking-service/contracts';
import { type Api, api } from '../support/api.js';
import { aKey, aProblem, aResource, aSlot, at, pointersOf } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

let running: RunningApp;
let service: Api;

beforeAll(async () => {
  running = await startApp();
  service = api(running.url);
});
afterAll(() => running.close());

const list = async (): Promise<string> => (await service.get('/v1/bookings').expect(200)).text;

/** Sends a payload with a key, sees it refused, and sees that the list, the key and the slot are as they were. */
async function refuse(json: string, status: number, slot = aSlot(aResource())): Promise<ProblemDto> {
  const key = aKey();
  const before = await list();
  const refused = await service.post('/v1/bookings').type('json').set('Idempotency-Key', key).send(json).expect(status);
  expect(refused.headers).not.toHaveProperty('location');
  expect(await list()).toBe(before);
  const next = await service.post('/v1/bookings').set('Idempotency-Key', key).send({ slot }).expect(201);
  expect(next.headers).not.toHaveProperty('idempotent-replayed');
  return refused.body as ProblemDto;
}

/** The member `member` of an otherwise good payload, whose slot has to be free afterwards. */
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
    ['bookingId', 'booking_id'],
    ['BookingID', 'booking_id'],
    ['booking-id', 'booking_id'],
    ['booking id', 'booking_id'],
    ['createdAt', 'created_at'],
    ['created-at', 'created_at'],
    ['CREATED_AT', 'created_at'],
  ])('for the near miss %j, which may mean %s', async (name, meant) => {
    const { errors } = await refusePayload(`${JSON.stringify(name)}:{}`, `#/${encodeURIComponent(name)}`);
    expect(errors?.[0]?.detail).toContain(`did you mean \`${meant}\`?`);
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

describe('A slot is refused, and leaves nothing behind,', () => {
  const refuseSlot = async (slot: unknown, ...pointers: string[]): Promise<void> => {
    const problem = await refuse(JSON.stringify({ slot }), 422);
    expect(problem).toMatchObject(aProblem('invalid-booking'));
    expect(pointersOf(problem)).toEqual(pointers);
  };

  it.each([null, [], [aSlot('x')], 'room', 1, true, false])('if it is %j: it is not an object', async (slot) => {
    await refuseSlot(slot, '#/slot');
  });

  it.each(['resource_id', 'start', 'end'])('without %s', async (name) => {
    await refuseSlot({ ...aSlot(aResource()), [name]: undefined }, `#/slot/${name}`);
    await refuseSlot({ ...aSlot(aResource()), [name]: null }, `#/slot/${name}`);
  });

  it('with nothing in it', async () => {
    await refuseSlot({}, '#/slot/resource_id', '#/slot/start', '#/slot/end');
  });

  it.each(['note', 'resourceId', 'Start', 'booking_id', ''])('with another member: %j', async (name) => {
    await refuseSlot({ ...aSlot(aResource()), [name]: 1 }, `#/slot/${name}`);
  });

  it.each([
    ['nothing', ''],
    ['201 characters', 'x'.repeat(201)],
    ['201 code points beyond the basic plane', '\u{1F6AA}'.repeat(201)],
    ['a line feed', 'room\n7'],
    ['a line feed at its end', 'room 7\n'],
    ['the last of C0', '\u001f'],
    ['DEL', 'x\u007f'],
    ['the first of C1', '\u0080x'],
    ['the last of C1', '\u009f'],
    ['a number', 7],
    ['a list', ['room']],
  ])('if its resource is named with %s', async (_, resource_id) => {
    await refuseSlot({ ...aSlot('x'), resource_id }, '#/slot/resource_id');
  });

  it.each([
    ['a day', '2026-12-01'],
    ['no seconds', '2026-12-01T09:00Z'],
    ['a lower-case t', '2026-12-01t09:00:00Z'],
    ['a lower-case z', '2026-12-01T09:00:00z'],
    ['a space for T', '2026-12-01 09:00:00Z'],
    ['no offset', '2026-12-01T09:00:00'],
    ['an offset without a colon', '2026-12-01T09:00:00+0100'],
    ['an offset without minutes', '2026-12-01T09:00:00+01'],
    ['an offset of 24 hours', '2026-12-01T09:00:00+24:00'],
    ['an offset of 60 minutes', '2026-12-01T09:00:00+01:60'],
    ['four fraction digits', '2026-12-01T09:00:00.0000Z'],
    ['no fraction digit', '2026-12-01T09:00:00.Z'],
    ['a decimal comma', '2026-12-01T09:00:00,5Z'],
    ['30 February', '2026-02-30T09:00:00Z'],
    ['29 February of a common year', '2026-02-29T09:00:00Z'],
    ['29 February of a century', '1900-02-29T09:00:00Z'],
    ['31 April', '2026-04-31T09:00:00Z'],
    ['month 13', '2026-13-01T09:00:00Z'],
    ['month 0', '2026-00-01T09:00:00Z'],
    ['day 0', '2026-12-00T09:00:00Z'],
    ['24:00', '2026-12-01T24:00:00Z'],
    ['minute 60', '2026-12-01T09:60:00Z'],
    ['a leap second', '2026-12-31T23:59:60Z'],
    ['the year 0 in UTC', '0000-12-31T23:59:59.999Z'],
    ['the year 0 in UTC, after the offset', '0001-01-01T00:00:00+00:01'],
    ['the year 10000 in UTC, after the offset', '9999-12-31T23:59:59-00:01'],
    ['a year of five digits', '12026-12-01T09:00:00Z'],
    ['a signed year', '+002026-12-01T09:00:00Z'],
    ['a space before it', ' 2026-12-01T09:00:00Z'],
    ['a line feed after it', '2026-12-01T09:00:00Z\n'],
    ['digits that are not ASCII', '２０２６-12-01T09:00:00Z'],
    ['a number', 1_796_115_600_000],
    ['nothing', ''],
  ])('if it starts or ends at what is no instant: %s', async (_, instant) => {
    await refuseSlot({ ...aSlot(aResource()), start: instant }, '#/slot/start');
    await refuseSlot({ ...aSlot(aResource()), end: instant }, '#/slot/end');
  });

  it.each([
    ['at its start', at(9), at(9)],
    ['before its start', at(9), at(8)],
    ['at its start, in another offset', '2026-12-01T09:00:00Z', '2026-12-01T10:00:00+01:00'],
    ['before its start, though it reads as later', '2026-12-01T09:00:00Z', '2026-12-01T09:30:00+01:00'],
  ])('if it ends %s', async (_, start, end) => {
    await refuseSlot({ resource_id: aResource(), start, end }, '#/slot/end');
  });
});
