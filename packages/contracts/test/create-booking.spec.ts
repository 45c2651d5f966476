import { createBookingSchema, validate } from '../src/index.js';

const slot = { resource_id: 'room-7', start: '2026-12-01T09:00:00Z', end: '2026-12-01T10:00:00Z' };

const faults = (payload: unknown) => {
  const result = validate(createBookingSchema, payload);
  return 'faults' in result ? result.faults : [];
};
const pointers = (payload: unknown) => faults(payload).map(({ pointer }) => pointer);
/** The faults of a payload as it came over the wire: only there can `__proto__` be a name like any other. */
const pointersOfJson = (text: string) => pointers(JSON.parse(text));

describe('a create payload', () => {
  it.each([
    ['the empty object', {}],
    ['a slot alone', { slot }],
    ['details alone', { guest: { name: 'Ada' }, note: null, seats: [1, 2.5, -0.1], paid: false }],
    ['names that only contain a reserved one', { slotted: 1, slot2: 2, time_slot: 3, booking: 4, created: 5 }],
    ['reserved names below the top', { before: { booking_id: 'x', created_at: 'y', slot: null, Slot: 1 } }],
    ['names without letters and digits', { '': 1, _: 2, '-': 3 }],
    ['the names of inherited members', { constructor: 1, toString: 2, hasOwnProperty: 3 }],
  ])('may be %s', (_, payload) => {
    expect(validate(createBookingSchema, payload)).toEqual({ value: payload });
  });

  it.each([[null], ['text'], [7], [true], [[]], [[{}]]])('is an object and not %j', (payload) => {
    expect(faults(payload)).toEqual([{ pointer: '#', detail: 'is not a JSON object' }]);
  });

  it('keeps the details with their values and in their order', () => {
    const text = '{"z":1,"slot":null,"a":{"d":[{"y":1,"b":2}],"c":"é🎾"},"m":1e-7,"b":[null,true]}';
    const sent = { ...JSON.parse(text), slot };
    const { value } = validate(createBookingSchema, sent) as { value: Record<string, unknown> };
    const { slot: read, ...details } = value;
    expect(read).toEqual(slot);
    expect(JSON.stringify(details)).toBe(JSON.stringify({ ...sent, slot: undefined }));
  });

  it.each(['booking_id', 'created_at'])('does not set %s, which is for the service to set', (name) => {
    expect(faults({ [name]: 'x' })).toEqual([
      { pointer: `#/${name}`, detail: 'is set by the service and cannot be sent' },
    ]);
  });

  it.each([
    ['Slot', 'slot'],
    ['SLOT', 'slot'],
    ['_slot', 'slot'],
    ['s-l.o t', 'slot'],
    ['slot\u200b', 'slot'],
    ['bookingId', 'booking_id'],
    ['BOOKING_ID', 'booking_id'],
    ['booking-id', 'booking_id'],
    ['bookingid', 'booking_id'],
    ['createdAt', 'created_at'],
    ['created-at', 'created_at'],
    ['created at ', 'created_at'],
  ])('has no member %j, which is too close to %s', (name, meant) => {
    const [fault, ...others] = faults({ [name]: slot });
    expect(others).toEqual([]);
    expect(fault?.pointer).toBe(`#/${encodeURIComponent(name)}`);
    expect(fault?.detail).toContain(`did you mean \`${meant}\`?`);
  });

  it('has a slot or has none, and null is neither', () => {
    expect(faults({ slot: null })).toEqual([{ pointer: '#/slot', detail: 'is not an object' }]);
    expect(pointers({ slot: { ...slot, end: slot.start } })).toEqual(['#/slot/end']);
    expect(pointers({ slot: { ...slot, seats: 2 } })).toEqual(['#/slot/seats']);
  });

  it.each([
    ['at the top', '{"__proto__":1}', '#/__proto__'],
    ['as an object', '{"__proto__":{"slot":1}}', '#/__proto__'],
    ['in a detail', '{"a":{"b":[{"__proto__":null}]}}', '#/a/b/0/__proto__'],
    ['in the slot', `{"slot":${JSON.stringify(slot).replace('{', '{"__proto__":1,')}}`, '#/slot/__proto__'],
  ])('has no member named __proto__ %s', (_, text, pointer) => {
    expect(pointersOfJson(text)).toEqual([pointer]);
  });

  it.each([
    ['a lone high surrogate', 'a\\ud83c', 'a%EF%BF%BD'],
    ['a lone low surrogate', '\\udfbea', '%EF%BF%BDa'],
    ['U+0000', 'a\\u0000b', 'a%00b'],
  ])('has no %s in a string or a name, at any depth', (_, bad, inPointer) => {
    expect(pointersOfJson(`{"note":"${bad}"}`)).toEqual(['#/note']);
    expect(pointersOfJson(`{"notes":["x",{"text":"${bad}"}]}`)).toEqual(['#/notes/1/text']);
    expect(pointersOfJson(`{"${bad}":1}`)).toEqual([`#/${inPointer}`]);
    expect(pointersOfJson(`{"a":[{"${bad}":1}]}`)).toEqual([`#/a/0/${inPointer}`]);
    expect(pointersOfJson(`{"slot":{"resource_id":"${bad}"}}`)).toEqual(['#/slot/resource_id']);
  });

  it('may have whole pairs of surrogates and every other control character', () => {
    expect(pointers({ note: '🎾\u0001\t\u007f\u009f\uffff', '🎾\n': 1 })).toEqual([]);
  });

  it.each([
    '0',
    '-0.5',
    '9007199254740991',
    '-9007199254740991',
    '0.1',
    '1e-400',
    '9007199254740990.0',
    '4503599627370495.5',
  ])('may have the number %s', (text) => {
    expect(pointersOfJson(`{"a":[${text}]}`)).toEqual([]);
  });

  it.each(['9007199254740992', '-9007199254740992', '9007199254740993', '1e16', '1e300', '1e309', '-1e309'])(
    'does not have the number %s, which two readers read differently',
    (text) => {
      expect(pointersOfJson(`{"a":{"b":[0,${text}]}}`)).toEqual(['#/a/b/1']);
    },
  );
});

const asObjects = (levels: number, leaf = '1') => '{"a":'.repeat(levels) + leaf + '}'.repeat(levels);
const asArrays = (levels: number, leaf = '1') => `{"a":${'['.repeat(levels - 1)}${leaf}${']'.repeat(levels - 1)}}`;

describe('the nesting of a create payload', () => {
  it.each([
    ['objects', asObjects, '/a'.repeat(32)],
    ['arrays', asArrays, `/a${'/0'.repeat(31)}`],
  ])('is at most 32 levels of %s, the root counted', (_, nested, pointer) => {
    expect(pointersOfJson(nested(32))).toEqual([]);
    expect(faults(JSON.parse(nested(33)))).toEqual([
      { pointer: `#${pointer}`, detail: 'is nested more than 32 levels deep' },
    ]);
  });

  it('counts levels that are empty', () => {
    expect(pointersOfJson(asObjects(31, '{}'))).toEqual([]);
    expect(pointersOfJson(asObjects(32, '{}'))).toHaveLength(1);
    expect(pointersOfJson(asArrays(31, '[]'))).toEqual([]);
    expect(pointersOfJson(asArrays(32, '[]'))).toHaveLength(1);
  });

  it('may be as deep as 64 KiB can write, and is rejected with one fault', () => {
    expect(pointersOfJson(asArrays(32_000))).toHaveLength(1);
  });
});

const many = (name: (index: number) => string, value: unknown) =>
  Object.fromEntries(Array.from({ length: 500 }, (_, index) => [name(index), value]));

describe('the faults of a create payload', () => {
  it.each([
    ['values', many((index) => `n${index}`, 1e300)],
    ['values in an array', { all: Array.from({ length: 500 }, () => 1e300) }],
    ['names', many((index) => `${'-'.repeat(index + 1)}slot`, 1)],
    ['members too many in a slot', { slot: { ...slot, ...many((index) => `n${index}`, 1) } }],
  ])('are at most 20, with 500 bad %s', (_, payload) => {
    expect(pointers(payload)).toHaveLength(20);
  });

  it('are listed together', () => {
    expect(pointersOfJson('{"Slot":1,"a":1e300,"b":["\\u0000",{"__proto__":1}]}')).toEqual([
      '#/Slot',
      '#/a',
      '#/b/0',
      '#/b/1/__proto__',
    ]);
  });
});
