import type * as z from 'zod';
import {
  createBookingSchema,
  fieldErrorAt,
  type FieldErrorDto,
  listBookingsQuerySchema,
  slotSchema,
  validate,
} from '../src/index.js';

const slot = { resource_id: 'room-7', start: '2026-12-01T09:00:00Z', end: '2026-12-01T10:00:00Z' };

function errorsOf(schema: z.ZodType, value: unknown): FieldErrorDto[] {
  const result = validate(schema, value);
  return 'errors' in result ? result.errors : [];
}

const pointersOf = (schema: z.ZodType, value: unknown) => errorsOf(schema, value).map(({ pointer }) => pointer);

describe('validate', () => {
  it('returns a payload with its members in order, and a query with its default', () => {
    const payload = { slot, z: null, a: { d: [{ y: 1, b: 2 }] }, '🎾': '\u0001' };
    const result = validate(createBookingSchema, payload);
    expect(JSON.stringify(result)).toBe(JSON.stringify({ value: payload }));
    expect(validate(listBookingsQuerySchema, { sort: 'created_at' })).toEqual({
      value: { sort: 'created_at', limit: 20 },
    });
  });

  // Parsing alone makes `__proto__` a member.
  it.each([
    ['null', '#', 'is not a JSON object'],
    ['{"booking_id":"x"}', '#/booking_id', 'is set by the service and cannot be sent'],
    ['{"created at":1}', '#/created%20at', 'is too close to a reserved name: did you mean `created_at`?'],
    ['{"slots":[]}', '#/slots', 'is too close to a reserved name: did you mean `slot`?'],
    ['{"a\\u0000":1}', '#/a%00', 'has a name with a lone surrogate or U+0000'],
    ['{"a":[{"\\ud83c":1}]}', '#/a/0/%EF%BF%BD', 'has a name with a lone surrogate or U+0000'],
    ['{"slot":{"resource_id":"\\ud83c"}}', '#/slot/resource_id', 'has a lone surrogate or U+0000'],
    ['{"a":9007199254740992}', '#/a', 'is an integer beyond ±9007199254740991: send it as a string'],
    ['{"__proto__":{"slot":1}}', '#/__proto__', 'is a forbidden name'],
    ['{"a":{"b":[{"__proto__":null}]}}', '#/a/b/0/__proto__', 'is a forbidden name'],
    [`{"slot":{"__proto__":1,${JSON.stringify(slot).slice(1)}}`, '#/slot/__proto__', 'is a forbidden name'],
    [`${'{"a":'.repeat(33)}1${'}'.repeat(33)}`, `#${'/a'.repeat(32)}`, 'is nested more than 32 levels deep'],
    [`{"a":${'['.repeat(32_000)}${']'.repeat(32_000)}}`, `#/a${'/0'.repeat(31)}`, 'is nested more than 32 levels deep'],
  ])('finds the error of the payload %s', (text, pointer, detail) => {
    expect(errorsOf(createBookingSchema, JSON.parse(text))).toEqual([{ pointer, detail }]);
  });

  it.each<[object | null, string, string]>([
    [null, '#', 'is not an object'],
    [{ ...slot, start: undefined }, '#/start', 'is required'],
    [{ ...slot, end: null }, '#/end', 'is not a string'],
    [{ ...slot, 'a/b': 1 }, '#/a~1b', 'is not a member of a slot'],
    [{ ...slot, end: '2026-12-01T10:00:00+01:00' }, '#/end', 'is not after start'],
    // Another rule would find it first within a payload or a query.
    [{ ...slot, resource_id: '\ud83c' }, '#/resource_id', 'is not 1 to 200 characters without control characters'],
  ])('finds the error of the slot %j', (value, pointer, detail) => {
    expect(errorsOf(slotSchema, value)).toEqual([{ pointer, detail }]);
  });

  it.each([
    [{ limit: '0' }, '#/limit', 'is not a whole number from 1 to 100'],
    [{ 'limit[]': '5' }, '#/limit%5B%5D', 'is not a parameter of this list'],
    [{ cursor: '' }, '#/cursor', 'is empty'],
    [{ from: slot.end, to: slot.start }, '#/to', 'is not after from'],
    [{ sort: 'start' }, '#/sort', 'is not one of -created_at, created_at'],
    [
      { sort: 'created_at', to: slot.end },
      '#/sort',
      'cannot be combined with from or to, whose bookings are listed by start',
    ],
  ])('finds the error of the query %j', (query, pointer, detail) => {
    expect(errorsOf(listBookingsQuerySchema, query)).toEqual([{ pointer, detail }]);
  });

  it('finds the errors of several members', () => {
    expect(pointersOf(createBookingSchema, { Slot: 1, a: 1e300, b: ['\0'] })).toEqual(['#/Slot', '#/a', '#/b/0']);
    expect(pointersOf(slotSchema, { resource_id: '', start: 'today', end: 7 })).toEqual([
      '#/resource_id',
      '#/end',
      '#/start',
    ]);
  });

  const many = (name: (index: number) => string, value: unknown) =>
    Object.fromEntries(Array.from({ length: 500 }, (_, index) => [name(index), value]));

  it.each([
    ['values', createBookingSchema, many((index) => `n${index}`, 1e300)],
    ['names', createBookingSchema, many((index) => `${'-'.repeat(index + 1)}slot`, 1)],
    ['members of a slot', createBookingSchema, { slot: { ...slot, ...many((index) => `n${index}`, 1) } }],
    ['parameters', listBookingsQuerySchema, many((index) => `p${index}`, 'x')],
  ])('returns 20 errors of 500 bad %s', (_, schema, value) => {
    expect(errorsOf(schema, value)).toHaveLength(20);
  });
});

describe('the pointer of an error', () => {
  it.each([
    ['the whole document', [], '#'],
    ['an element of an array', ['seats', 0, 'row'], '#/seats/0/row'],
    ['an empty name', ['', 'a'], '#//a'],
    ['names from RFC 6901 §6', ['c%d', 'e^f', 'g|h', 'i\\j', 'k"l', ' '], '#/c%25d/e%5Ef/g%7Ch/i%5Cj/k%22l/%20'],
    ['a name beyond the basic plane', ['🎾'], '#/%F0%9F%8E%BE'],
    ['a lone surrogate, which has no encoding', ['a\ud83c'], '#/a%EF%BF%BD'],
    ['1,000 characters', ['slot', 'a'.repeat(993)], `#/slot/${'a'.repeat(993)}`],
  ])('is an RFC 6901 URI fragment for %s', (_, path, pointer) => {
    expect(fieldErrorAt(path, 'is wrong')).toEqual({ pointer, detail: 'is wrong' });
  });

  it.each([
    ['of 1,001 characters', ['slot', 'a'.repeat(994)], '#/slot'],
    ['of a name that escaping makes too long', ['名'.repeat(200)], '#'],
  ])('leads to an enclosing member instead of a pointer %s', (_, path, pointer) => {
    expect(fieldErrorAt(path, 'is wrong')).toEqual({ pointer, detail: 'a member within this one is wrong' });
  });
});
