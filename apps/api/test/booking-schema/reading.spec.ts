import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBookingSchema, slotExample, validate } from '@booking-service/contracts';
import {
  InvalidBookingSchema,
  readBookingSchema,
  toBookingSchema,
} from '../../src/booking-schema/read-booking-schema.js';

const folder = mkdtempSync(join(tmpdir(), 'booking-schema-'));
afterAll(() => rmSync(folder, { recursive: true }));

function read(text: string): Promise<unknown> {
  const file = join(folder, 'schema.json');
  writeFileSync(file, text);
  return readBookingSchema(file);
}

const object = { type: 'object' };
const only = (a: object) => ({ properties: { a } });
const aSlotWith = (resource: object) => ({ ...object, properties: { resource_id: { type: 'string', ...resource } } });
const closed = { ...object, properties: { guest: { type: 'string' } }, additionalProperties: false };

describe('A booking schema', () => {
  it.each([
    ['is not JSON', '{', /JSON/],
    [
      'is not a schema',
      JSON.stringify({ ...object, properties: 7 }),
      /: it is not a JSON Schema 2020-12: #\/properties must be object\.$/,
    ],
    [
      'has an unknown keyword',
      JSON.stringify({ ...object, propertys: {} }),
      /: `propertys` is not a keyword of JSON Schema 2020-12\.$/,
    ],
    [
      'has an unknown format',
      JSON.stringify({ ...object, properties: { a: { type: 'string', format: 'x' } } }),
      /: #\/properties\/a: the format `x` is not one that can be checked\.$/,
    ],
    [
      'is of another draft',
      JSON.stringify({ ...object, $schema: 'http://json-schema.org/draft-07/schema#' }),
      /: `\$schema` is http.*draft-07\/schema#, and has to be https:\/\/json-schema\.org\/draft\/2020-12\/schema\.$/,
    ],
    [
      'has a keyword without its type',
      JSON.stringify({ ...object, ...only({ minLength: 1 }) }),
      /: #\/properties\/a: `minLength` needs `"type": "string"` beside it\.$/,
    ],
    [
      'has several types',
      JSON.stringify({ ...object, ...only({ type: ['string', 'number'] }) }),
      /: #\/properties\/a: `type` has to be one type; write several with `anyOf`\.$/,
    ],
    [
      'has a condition without a consequence',
      JSON.stringify({ ...object, ...only({ if: object }) }),
      /: `if` without "then" and "else" does nothing\.$/,
    ],
    [
      'describes a member twice',
      JSON.stringify({ ...object, patternProperties: { '^a': object }, ...only(object) }),
      /: the member `a` is in `properties` and matches `\^a` of `patternProperties`: describe it in one of them\.$/,
    ],
    [
      'begins a list and leaves its length open',
      JSON.stringify({ ...object, ...only({ type: 'array', prefixItems: [object] }) }),
      /: #\/properties\/a: `prefixItems` with 1 items needs `"minItems": 1`, and `"maxItems": 1` or `"items": false`\.$/,
    ],
    [
      'has a recursive reference of an older draft',
      JSON.stringify({ ...object, ...only({ $recursiveRef: '#' }) }),
      /is not within the file/,
    ],
    ['is not of an object', JSON.stringify({ type: 'array' }), /"type": "object"/],
    ['is nothing', 'null', /"type": "object"/],
    [
      'refers to another place',
      JSON.stringify({ ...object, properties: { a: { $ref: 'https://example.org/a' } } }),
      /is not within the file/,
    ],
    [
      'has a part with its own `$id`',
      JSON.stringify({ ...object, properties: { a: { $id: 'https://example.org/a' } } }),
      /is not within the file/,
    ],
    [
      'has a dynamic reference',
      JSON.stringify({ ...object, $defs: { a: object }, properties: { a: { $dynamicRef: '#/$defs/a' } } }),
      /is not within the file/,
    ],
    ['refers to itself', JSON.stringify({ ...object, properties: { a: { $ref: '#' } } }), /is part of itself/],
    [
      'refers to itself by way of another',
      JSON.stringify({
        ...object,
        $defs: { a: { anyOf: [{ $ref: '#/$defs/b' }] }, b: { items: { $ref: '#/$defs/a' } } },
      }),
      /is part of itself/,
    ],
    [
      'has a pattern that looks ahead',
      JSON.stringify({ ...object, properties: { a: { type: 'string', pattern: '^(?!x)' } } }),
      /cannot be matched in linear time/,
    ],
    [
      'refers to nothing',
      JSON.stringify({ ...object, properties: { a: { $ref: '#/$defs/a' } } }),
      /: the reference `#\/\$defs\/a` leads to nothing\.$/,
    ],
    [
      'has an example that breaks it',
      JSON.stringify({ ...closed, examples: [{ guest: 7 }] }),
      /example 0 breaks it: #\/guest must be string/,
    ],
    [
      'has an example that is not a booking',
      JSON.stringify({ ...object, examples: [{ slot: {} }] }),
      /example 0 breaks it: #\/slot/,
    ],
  ])('that %s is rejected in one line', async (_what, text, fault) => {
    await expect(read(text)).rejects.toThrow(InvalidBookingSchema);
    await expect(read(text)).rejects.toThrow(fault);
    await expect(read(text)).rejects.not.toThrow(/strict|ajv|data\//i);
    await expect(read(text)).rejects.toThrow(/^BOOKING_SCHEMA_FILE \(.*schema\.json\): .*$/);
  });

  it('that is not there is rejected', async () => {
    await expect(readBookingSchema(join(folder, 'none.json'))).rejects.toThrow(/ENOENT/);
  });

  it.each([
    ['describes booking_id', { properties: { booking_id: { type: 'string' } } }],
    ['requires created_at', { required: ['created_at'] }],
    ['requires a near miss of a reserved name', { required: ['bookingId'] }],
    ['describes slots in the plural', { properties: { slots: { type: 'array' } } }],
    ['names booking_id in a condition', { if: { required: ['booking_id'] }, else: { required: ['guest'] } }],
    [
      'names booking_id behind a reference',
      { $ref: '#/$defs/more', $defs: { more: { type: 'object', required: ['booking_id'] } } },
    ],
    ['has guest require booking_id', { dependentRequired: { guest: ['booking_id'] } }],
  ])('that %s names members that no create can have, and is rejected', (_what, schema) => {
    expect(() => toBookingSchema({ ...object, ...schema })).toThrow(/is reserved/);
  });

  it.each([
    ['describes a further member of slots', { properties: { slot: { ...object, properties: { note: {} } } } }],
    ['requires one', { properties: { slot: { ...object, required: ['note'] } } }],
    ['requires one in an alternative', { anyOf: [{ properties: { slot: { ...object, required: ['note'] } } }] }],
  ])('that %s widens them, and is rejected', (_what, schema) => {
    expect(() => toBookingSchema({ ...object, ...schema })).toThrow('a `slot` has no member `note`');
  });

  it.each([
    ['closes a part of itself', { allOf: [{ ...object, additionalProperties: false }] }],
    ['rejects the name slot among others', { propertyNames: { pattern: '^g' } }],
    ['rejects everything', { not: {} }],
    ['allows no member', { maxProperties: 0 }],
    ['requires a thousand members and has no example', { minProperties: 1_000 }],
    ['requires one payload that has no slot', { const: { guest: 'Ada' } }],
    ['requires one of several payloads without a slot', { enum: [{}, { guest: 'Ada' }] }],
    ['requires a member that cannot exist', { properties: { guest: false }, required: ['guest'] }],
    ['requires two values of one member', { required: ['a'], allOf: [only({ const: 1 }), only({ const: 2 })] }],
    [
      'requires more than a body may hold',
      { properties: { a: { type: 'string', minLength: 70_000 } }, required: ['a'] },
    ],
    ['requires slots to be false', { properties: { slot: false } }],
    ['requires slots to be numbers', { properties: { slot: { type: 'number' } } }],
    ['requires resources to have no name', { properties: { slot: aSlotWith({ maxLength: 0 }) } }],
    ['rejects every slot by a condition', { if: { not: { required: ['slot'] } }, else: false }],
  ])('that %s rejects every create with a slot, and is rejected in one line', async (_what, schema) => {
    await expect(read(JSON.stringify({ ...object, ...schema }))).rejects.toThrow(InvalidBookingSchema);
    await expect(read(JSON.stringify({ ...object, ...schema }))).rejects.toThrow(
      /^[^\n]*no create with a `slot` was found[^\n]*$/,
    );
  });

  it.each([
    ['requires a slot', { required: ['slot'] }],
    ['requires a slot where there is a guest', { dependentRequired: { guest: ['slot'] } }],
    ['has resources of one kind', { properties: { slot: aSlotWith({ pattern: '^table-[0-9]{1,2}$' }) } }],
    [
      'has resources of one kind behind a reference',
      {
        properties: { slot: { $ref: '#/$defs/slot' } },
        $defs: { slot: aSlotWith({ enum: ['table-1', 'table-2'] }) },
      },
    ],
    [
      'has members of every kind',
      {
        properties: {
          email: { type: 'string', format: 'email' },
          code: { type: 'string', pattern: '^[A-Z]{2}-\\d+$' },
          seats: { type: 'integer', minimum: 3, multipleOf: 7 },
          tags: { type: 'array', items: { enum: ['a', 'b'] }, minItems: 2, uniqueItems: true },
          kind: { oneOf: [{ const: 'lunch' }, { const: 'dinner' }] },
        },
        required: ['email', 'code', 'seats', 'tags', 'kind'],
        additionalProperties: false,
      },
    ],
    [
      'has a condition',
      {
        properties: { seats: { type: 'integer', minimum: 1 }, phone: { type: 'string', minLength: 5 } },
        required: ['seats'],
        if: { properties: { seats: { type: 'integer', maximum: 1 } } },
        else: { required: ['phone'] },
      },
    ],
  ])('that %s is taken without an example, and one is made for it', (_what, rest) => {
    const schema = toBookingSchema({ ...object, ...rest });
    expect(schema.examples).toHaveLength(1);
    expect(validate(createBookingSchema, schema.examples[0])).toHaveProperty('value.slot');
    expect(schema.faultsOf(schema.examples[0]!)).toEqual([]);
  });

  it('that only its own example is known to keep to is taken', () => {
    const members = Object.fromEntries(Array.from({ length: 999 }, (_, index) => [`m${index}`, index]));
    const schema = { ...object, minProperties: 1_000, examples: [{ ...members, slot: slotExample }] };
    expect(toBookingSchema(schema).examples).toEqual(schema.examples);
  });

  it('may narrow the slot, which stays that of the interface', () => {
    const schema = toBookingSchema({
      ...object,
      properties: { slot: aSlotWith({ pattern: '^table-' }) },
      required: ['slot'],
    });
    expect(schema.faultsOf({})).toEqual([{ pointer: '#/slot', detail: 'is required' }]);
    expect(schema.faultsOf({ slot: slotExample })).toEqual([
      { pointer: '#/slot/resource_id', detail: 'must match pattern "^table-"' },
    ]);
    expect(schema.faultsOf({ slot: { ...slotExample, resource_id: 'table-1' } })).toEqual([]);
  });

  it('that is closed does not forbid slots', () => {
    const schema = toBookingSchema(closed);
    expect(schema.faultsOf({ guest: 'Ada', slot: slotExample })).toEqual([]);
    expect(schema.faultsOf({ guest: 'Ada', seats: 2 })).toEqual([
      { pointer: '#/seats', detail: 'is not a member that is known here' },
    ]);
  });

  it('may name reserved members further down, where they are none', () => {
    const properties = { trip: { type: 'object', properties: { slot: { type: 'string' } }, required: ['slot'] } };
    expect(toBookingSchema({ ...object, properties }).faultsOf({ trip: { slot: 'noon' } })).toEqual([]);
  });

  it('that requires what every object of JavaScript inherits is kept to by own members only', () => {
    const examples = [{ constructor: 'Brunel', slot: slotExample }];
    const schema = toBookingSchema({ ...object, required: ['constructor'], examples });
    expect(schema.faultsOf({})).toEqual([{ pointer: '#/constructor', detail: 'is required' }]);
  });

  it('may have references beside other keywords, and an `$id`', () => {
    const schema = toBookingSchema({
      ...object,
      $id: 'https://example.org/party',
      properties: { host: { $ref: '#/$defs/guest', type: 'object', maxProperties: 1 }, $ref: { type: 'string' } },
      unevaluatedProperties: false,
      $ref: '#/$defs/party',
      $defs: {
        guest: { ...object, properties: { name: { $ref: '#/$defs/a~1name' } }, required: ['name'] },
        party: { ...object, properties: { seats: { type: 'integer' } }, required: ['seats'] },
        'a/name': { type: 'string' },
      },
      examples: [{ seats: 2, slot: slotExample }],
    });
    const pointersOf = (payload: Record<string, unknown>) => schema.faultsOf(payload).map(({ pointer }) => pointer);
    expect(pointersOf({ seats: 2, host: { name: 'Ada' }, $ref: 'x', slot: slotExample })).toEqual([]);
    expect(pointersOf({ seats: 2, host: { name: 7 } })).toEqual(['#/host/name']);
    expect(pointersOf({ seats: 2, host: { name: 'Ada', age: 7 } })).toEqual(['#/host']);
    expect(pointersOf({ host: {}, $ref: 7, guest: 'Ada' }).toSorted()).toEqual(
      ['#/$ref', '#/guest', '#/host/name', '#/seats'].map((pointer) => pointer.replace('$', '%24')),
    );
  });

  it('lists at most 20 faults, with pointers as URI fragments', () => {
    const schema = toBookingSchema({ ...object, additionalProperties: { type: 'string' } });
    const payload = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`a/b ~${index}`, index]));
    const faults = schema.faultsOf(payload);
    expect(faults).toHaveLength(20);
    expect(faults[0]).toEqual({ pointer: '#/a~1b%20~00', detail: 'must be string' });
  });
});
