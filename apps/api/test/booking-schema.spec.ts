import type { CreateBookingDto } from '@booking-service/contracts';
import type { JsonSchema } from '../src/bookings/booking-schema.js';
import { movedTo } from '../src/features/booking-schema/json-schema.js';
import { toBookingSchema } from '../src/features/booking-schema/read-booking-schema.js';

const { jest } = import.meta;

/** A schema of an object, with `{}` as its default example. */
const anObject = (schema: JsonSchema): JsonSchema => ({ type: 'object', examples: [{}], ...schema });
const member = (a: JsonSchema, examples: object[] = [{}]): JsonSchema => anObject({ properties: { a }, examples });
const slot = { resource_id: 'room-7', start: '2026-12-01T09:00:00Z', end: '2026-12-01T10:00:00Z' };
const tables = { type: 'object', properties: { resource_id: { type: 'string', pattern: '^table-' } } };
const firstFault = (schema: JsonSchema, payload: CreateBookingDto) => toBookingSchema(schema).errorsOf(payload)[0];

describe("A deployment's schema", () => {
  it.each([
    ['of a list', { type: 'array' }, /"type": "object"/],
    ['without an example', { type: 'object' }, /`examples` must list at least one payload/],
    ['with an invalid example', anObject({ required: ['a'] }), /example 0 is invalid: #\/a is required/],
    ['whose example breaks the interface', anObject({ examples: [{ slot: 1 }] }), /example 0 is invalid: #\/slot/],
    ['of another draft', anObject({ $schema: 'http://json-schema.org/draft-07/schema#' }), /draft-07/],
    ['with an unknown keyword', anObject({ propertys: {} }), /propertys/],
    ['with a reference outside of the file', member({ $ref: 'https://a.example' }), /is not within the file/],
    ['with a dangling reference', member({ $ref: '#/$defs/no' }), /can't resolve reference #\/\$defs\/no/],
    [
      'with a pattern that backtracks',
      member({ type: 'string', pattern: '(?=a)' }),
      /the pattern "\(\?=a\)" cannot be used/,
    ],
    [
      'with a pattern that is not ECMAScript',
      member({ type: 'string', pattern: '(?i)a' }),
      /the pattern "\(\?i\)a" cannot be used/,
    ],
    ['with the slow format `url`', member({ type: 'string', format: 'url' }), /unknown format "url"/],
  ] as [string, JsonSchema, RegExp][])('%s is rejected at the start', (_, schema, error) => {
    expect(() => toBookingSchema(schema)).toThrow(error);
  });

  it.each([
    [anObject({ required: ['constructor'], examples: [{ constructor: 1 }] }), {}, '#/constructor', /is required/],
    [anObject({ required: ['slot'], examples: [{ slot }] }), {}, '#/slot', /is required/],
    [anObject({ properties: { slot: tables } }), { slot }, '#/slot/resource_id', /must match pattern/],
    [anObject({ additionalProperties: false }), { b: 1 }, '#/b', /is not a known member/],
    [anObject({ propertyNames: { maxLength: 3 } }), { long: 1 }, '#/long', /must NOT have more than 3 characters/],
    [member({ type: 'string', format: 'email' }), { a: 'x' }, '#/a', /must match format "email"/],
    [
      member({ type: 'array', uniqueItems: true }),
      {
        a: [
          { b: 1, c: 2 },
          { c: 2, b: 1 },
        ],
      },
      '#/a',
      /two items that are equal/,
    ],
    [member({ type: 'number', multipleOf: 0.01 }), { a: 4.355 }, '#/a', /must be multiple of 0.01/],
    [
      {
        ...member({ $ref: '#/$defs/part' }),
        $defs: { part: { properties: { part: { $ref: '#/$defs/part' } }, type: 'object' } },
      },
      { a: { part: { part: 1 } } },
      '#/a/part/part',
      /must be object/,
    ],
    [member({ enum: ['$ref', 1] }), { a: 2 }, '#/a', /must be equal to one of the allowed values/],
    [member({ type: 'string', pattern: '^(a+)+$' }), { a: `${'a'.repeat(60_000)}!` }, '#/a', /must match pattern/],
    [member({ type: 'string', pattern: `^a{1000}${'b'.repeat(2_000)}` }), { a: 'x' }, '#/a', /^.{1000}$/],
  ] as [JsonSchema, CreateBookingDto, string, RegExp][])('%j rejects %j at %s', (schema, payload, pointer, detail) => {
    expect(firstFault(schema, payload)).toEqual({ pointer, detail: expect.stringMatching(detail) });
  });

  it('accepts prices that are multiples of 0.01', () => {
    const price = member({ type: 'number', multipleOf: 0.01 });
    expect([4.35, 19.99].map((a) => firstFault(price, { a }))).toEqual([undefined, undefined]);
  });

  it('prints nothing when it is read', () => {
    const printed = (['log', 'warn', 'error'] as const).map((method) => jest.spyOn(console, method).mockReturnValue());
    toBookingSchema(member({ minimum: 1 }));
    expect(printed.flatMap(({ mock }) => mock.calls)).toEqual([]);
    jest.restoreAllMocks();
  });

  it('has its references moved into the document, and no data that looks like one', () => {
    const here = { $ref: '#/$defs/A' };
    const there = { $ref: '#/components/X/$defs/A' };
    const data = { const: here, enum: [here], default: here, examples: [here] };
    const schema = { ...data, properties: { default: here }, items: here, anyOf: [here], $defs: { A: {} } };
    const moved = { ...schema, properties: { default: there }, items: there, anyOf: [there] };
    expect(movedTo('#/components/X', schema)).toEqual(moved);
  });
});
