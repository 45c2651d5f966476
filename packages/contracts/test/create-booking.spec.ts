import { createBookingSchema, validate } from '../src/index.js';
import { errorsOf } from './faults.js';

const slot = { resource_id: 'room-7', start: '2026-12-01T09:00:00Z', end: '2026-12-01T10:00:00Z' };
const slotText = JSON.stringify(slot);

/** The faults of a payload as it came over the wire: only there can `__proto__` be a name like any other. */
const faults = (text: string) => errorsOf(createBookingSchema, JSON.parse(text));
const pointers = (text: string) => faults(text).map(({ pointer }) => pointer);

const asObjects = (levels: number, leaf = '1') => '{"a":'.repeat(levels) + leaf + '}'.repeat(levels);
const asArrays = (levels: number, leaf = '1') => `{"a":${'['.repeat(levels - 1)}${leaf}${']'.repeat(levels - 1)}}`;

describe('a create payload', () => {
  it.each([
    ['the empty object', '{}'],
    ['a slot alone', `{"slot":${slotText}}`],
    ['details alone, in their order', '{"z":null,"a":{"d":[{"y":1,"b":2}],"c":"é"},"m":1e-7,"b":[null,true]}'],
    ['names that only contain a reserved one', '{"slotted":1,"slot2":2,"time_slot":3,"booking":4,"created":5}'],
    ['reserved names below the top', '{"before":{"booking_id":"x","created_at":"y","slot":null,"Slot":1}}'],
    ['names without letters and digits', '{"":1,"_":2,"-":3}'],
    ['the names of inherited members', '{"constructor":1,"toString":2,"hasOwnProperty":3}'],
    [
      'whole pairs of surrogates and other controls',
      JSON.stringify({ note: '🎾\u0001\t\u007f\u009f\uffff', '🎾\n': 1 }),
    ],
    ['safe numbers', '{"a":[0,-0.5,9007199254740991,-9007199254740991,0.1,4503599627370495.5]}'],
    ['32 levels of objects', asObjects(32)],
    ['32 levels of arrays', asArrays(32)],
    ['an empty object as the last level', asObjects(31, '{}')],
    ['an empty array as the last level', asArrays(31, '[]')],
  ])('may be %s', (_, text) => {
    const result = validate(createBookingSchema, JSON.parse(text));
    expect(JSON.stringify('value' in result && result.value)).toBe(JSON.stringify(JSON.parse(text)));
  });

  it.each(['null', '"text"', '7', 'true', '[]', '[{}]'])('is an object and not %s', (text) => {
    expect(faults(text)).toEqual([{ pointer: '#', detail: 'is not a JSON object' }]);
  });

  it.each(['booking_id', 'created_at'])('does not set %s, which is for the service to set', (name) => {
    const detail = 'is set by the service and cannot be sent';
    expect(faults(`{"${name}":"x"}`)).toEqual([{ pointer: `#/${name}`, detail }]);
  });

  it.each([
    ['Slot', 'slot'],
    ['slots', 'slot'],
    ['_slot', 'slot'],
    ['s-l.o t', 'slot'],
    ['slot\u200b', 'slot'],
    ['bookingId', 'booking_id'],
    ['BOOKING_IDS', 'booking_id'],
    ['createdAt', 'created_at'],
    ['created at ', 'created_at'],
  ])('has no member %j, which is too close to %s', (name, meant) => {
    const [fault, ...others] = faults(JSON.stringify({ [name]: slot }));
    expect(others).toEqual([]);
    expect(fault?.pointer).toBe(`#/${encodeURIComponent(name)}`);
    expect(fault?.detail).toContain(`did you mean \`${meant}\`?`);
  });

  it.each([
    ['null for a slot', '{"slot":null}', '#/slot'],
    ['a slot that is empty', `{"slot":${slotText.replace('10:00', '09:00')}}`, '#/slot/end'],
    ['a slot with a member of its own', `{"slot":${slotText.replace('{', '{"seats":2,')}}`, '#/slot/seats'],
    ['the members of a slot outside one', '{"resource_id":"room-7","end":"2026-12-01T10:00:00Z"}', '#/resource_id'],
    ['__proto__ at the top', '{"__proto__":1}', '#/__proto__'],
    ['__proto__ as an object', '{"__proto__":{"slot":1}}', '#/__proto__'],
    ['__proto__ in a detail', '{"a":{"b":[{"__proto__":null}]}}', '#/a/b/0/__proto__'],
    ['__proto__ in the slot', `{"slot":${slotText.replace('{', '{"__proto__":1,')}}`, '#/slot/__proto__'],
    ['33 levels of objects', asObjects(33), `#${'/a'.repeat(32)}`],
    ['33 levels of arrays', asArrays(33), `#/a${'/0'.repeat(31)}`],
    ['an empty object as level 33', asObjects(32, '{}'), `#${'/a'.repeat(32)}`],
    ['an empty array as level 33', asArrays(32, '[]'), `#/a${'/0'.repeat(31)}`],
    ['as many levels as 64 KiB can hold', asArrays(32_000), `#/a${'/0'.repeat(31)}`],
  ])('has no %s', (_, text, pointer) => {
    expect(pointers(text)).toEqual([pointer]);
  });

  it.each([
    ['a lone high surrogate', 'a\\ud83c', 'a%EF%BF%BD'],
    ['a lone low surrogate', '\\udfbea', '%EF%BF%BDa'],
    ['U+0000', 'a\\u0000b', 'a%00b'],
  ])('has no %s in a string or a name, at any depth', (_, bad, inPointer) => {
    expect(pointers(`{"note":"${bad}"}`)).toEqual(['#/note']);
    expect(pointers(`{"notes":["x",{"text":"${bad}"}]}`)).toEqual(['#/notes/1/text']);
    expect(pointers(`{"${bad}":1}`)).toEqual([`#/${inPointer}`]);
    expect(pointers(`{"a":[{"${bad}":1}]}`)).toEqual([`#/a/0/${inPointer}`]);
    expect(pointers(`{"slot":{"resource_id":"${bad}"}}`)).toEqual(['#/slot/resource_id']);
  });

  it.each(['9007199254740992', '-9007199254740992', '1e16', '1e300', '1e309', '-1e309'])(
    'does not have the number %s, which two readers read differently',
    (number) => {
      expect(pointers(`{"a":{"b":[0,${number}]}}`)).toEqual(['#/a/b/1']);
    },
  );
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
    expect(errorsOf(createBookingSchema, payload)).toHaveLength(20);
  });

  it('are listed together', () => {
    expect(pointers('{"Slot":1,"a":1e300,"b":["\\u0000",{"__proto__":1}]}')).toEqual([
      '#/Slot',
      '#/a',
      '#/b/0',
      '#/b/1/__proto__',
    ]);
  });
});
