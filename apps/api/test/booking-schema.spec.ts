import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CreateBookingDto } from '@booking-service/contracts';
import type { JsonSchema } from '../src/bookings/booking-schema.js';
import { movedTo } from '../src/features/booking-schema/json-schema.js';
import { readBookingSchema, toBookingSchema } from '../src/features/booking-schema/read-booking-schema.js';

/** A schema of an object, whose example is `{}` where it names none. */
const anObject = (schema: JsonSchema): JsonSchema => ({ type: 'object', examples: [{}], ...schema });
const member = (a: JsonSchema, examples: object[] = [{}]): JsonSchema => anObject({ properties: { a }, examples });
const firstFault = (schema: JsonSchema, payload: CreateBookingDto) => toBookingSchema(schema).errorsOf(payload)[0];

/** Definitions each of which refers twice to the one before. */
function doubling(depth: number): JsonSchema {
  const definitions = Array.from({ length: depth }, (_, at): [string, JsonSchema] => {
    const $ref = `#/$defs/d${at - 1}`;
    return [`d${at}`, at === 0 ? { type: 'string' } : { allOf: [{ $ref }, { $ref }] }];
  });
  return { ...member({ $ref: `#/$defs/d${depth - 1}` }), $defs: Object.fromEntries(definitions) };
}

const alternatives = Array.from({ length: 900 }, (_, index) => `x${index}`);

describe('The schema of a deployment', () => {
  it.each([
    ['that is no object', { type: 'array' }, /"type": "object"/],
    ['without an example', { type: 'object' }, /`examples` has to be a list with one payload at least/],
    ['whose example breaks it', anObject({ required: ['a'] }), /example 0 breaks it: #\/a is required/],
    ['whose example breaks the interface', anObject({ examples: [{ slot: 1 }] }), /example 0 breaks it: #\/slot/],
    ['of another draft', anObject({ $schema: 'http://json-schema.org/draft-07/schema#' }), /draft-07/],
    ['with an unknown keyword', anObject({ propertys: {} }), /propertys/],
    ['with a reference that leads out of it', member({ $ref: 'https://a.example' }), /is not within the file/],
    ['with a reference that leads to nothing', member({ $ref: '#/$defs/no' }), /is not within the file/],
    ['with an address of its own within it', member({ $id: 'https://a.example', type: 'string' }), /no part of it may/],
    ['that refers to itself', member({ $ref: '#' }), /it refers to itself/],
    [
      'that refers to itself in a round',
      {
        ...member({ $ref: '#/$defs/a' }),
        $defs: { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { not: { $ref: '#/$defs/a' } } },
      },
      /it refers to itself/,
    ],
    [
      'with a reference that is percent-encoded, which can be read in two ways',
      { ...member({ $ref: '#/$defs/a%2Fb' }), $defs: { 'a/b': { not: { $ref: '#/$defs/a~1b' } }, a: { b: {} } } },
      /has no `%`/,
    ],
    [
      'with an enum of 1,001 values',
      member({ enum: Array.from({ length: 1_001 }, (_, index) => index) }),
      /1001 values/,
    ],
    ['with references that double', doubling(14), /it has \d+ parts, more than 10000/],
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
    ['with the format that takes long', member({ type: 'string', format: 'url' }), /unknown format "url"/],
  ] as [string, JsonSchema, RegExp][])('%s is rejected at the start', (_, schema, error) => {
    expect(() => toBookingSchema(schema)).toThrow(error);
  });

  it('is read from a file, whose faults are one line', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'booking-schema-'));
    const file = join(folder, 'schema.json');
    writeFileSync(file, JSON.stringify(anObject({})));
    expect(await readBookingSchema(file)).toMatchObject({ examples: [{}] });
    writeFileSync(file, '{\n');
    await expect(readBookingSchema(file)).rejects.toThrow(/^BOOKING_SCHEMA_FILE \(.*schema\.json\): .*JSON.*$/);
    await expect(readBookingSchema(join(folder, 'none'))).rejects.toThrow(/ENOENT/);
    rmSync(folder, { recursive: true });
  });

  it.each([
    [anObject({ required: ['constructor'], examples: [{ constructor: 1 }] }), {}, '#/constructor', /is required/],
    [anObject({ additionalProperties: false }), { b: 1 }, '#/b', /is not a member that is known here/],
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
    [member({ enum: ['$ref', 1] }), { a: 2 }, '#/a', /must be equal to one of the allowed values/],
    [member({ type: 'string', pattern: '^(a+)+$' }), { a: `${'a'.repeat(60_000)}!` }, '#/a', /must match pattern/],
    [member({ type: 'string', pattern: `^a{1000}${'b'.repeat(2_000)}` }), { a: 'x' }, '#/a', /^.{1000}$/],
    // What Ajv would take seconds for: 20,000 values by 900 alternatives, and 60,000 characters by 900 patterns.
    [
      member({ type: 'array', items: { anyOf: alternatives.map((a) => ({ const: a })) } }),
      { a: Array(20_000).fill(1) },
      '#',
      /too many values/,
    ],
    [
      member({ type: 'string', anyOf: alternatives.map((a) => ({ pattern: `${a}$` })) }),
      { a: 'y'.repeat(60_000) },
      '#',
      /too long texts/,
    ],
  ] as [JsonSchema, CreateBookingDto, string, RegExp][])('%j rejects %j at %s', (schema, payload, pointer, detail) => {
    expect(firstFault(schema, payload)).toEqual({ pointer, detail: expect.stringMatching(detail) });
  });

  it('leaves the slot free where it does not name it, and may narrow it', () => {
    const slot = { resource_id: 'room-7', start: '2026-12-01T09:00:00Z', end: '2026-12-01T10:00:00Z' };
    expect(firstFault(anObject({ additionalProperties: false }), { slot })).toBeUndefined();
    const tables = { type: 'object', properties: { resource_id: { type: 'string', pattern: '^table-' } } };
    expect(firstFault(anObject({ properties: { slot: tables } }), { slot })?.pointer).toBe('#/slot/resource_id');
  });

  it('has its references moved into the document, and not what only looks like one', () => {
    const $ref = '#/$defs/A';
    const data = { const: { $ref }, enum: [{ $ref }], default: { $ref }, examples: [{ $ref }] };
    const schema = { ...data, properties: { default: { $ref } }, items: { $ref }, anyOf: [{ $ref }], $defs: { A: {} } };
    const moved = { $ref: '#/components/X/$defs/A' };
    expect(movedTo('#/components/X', schema)).toEqual({
      ...data,
      properties: { default: moved },
      items: moved,
      anyOf: [moved],
      $defs: { A: {} },
    });
  });
});
