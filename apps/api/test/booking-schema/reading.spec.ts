import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { slotExample } from '@booking-service/contracts';
import {
  InvalidBookingSchema,
  readBookingSchema,
  toBookingSchema,
} from '../../src/booking-schema/read-booking-schema.js';

const folder = mkdtempSync(join(tmpdir(), 'booking-schema-'));
afterAll(() => rmSync(folder, { recursive: true }));

function read(text: string): unknown {
  const file = join(folder, 'schema.json');
  writeFileSync(file, text);
  return readBookingSchema(file);
}

const object = { type: 'object' };
const closed = { ...object, properties: { guest: { type: 'string' } }, additionalProperties: false };

describe('A booking schema', () => {
  it.each([
    ['is not JSON', '{', /JSON/],
    ['is not a schema', JSON.stringify({ ...object, properties: 7 }), /schema is invalid/],
    ['has a keyword that nobody knows', JSON.stringify({ ...object, propertys: {} }), /unknown keyword: "propertys"/],
    [
      'has a format that nobody knows',
      JSON.stringify({ ...object, properties: { a: { type: 'string', format: 'x' } } }),
      /unknown format "x"/,
    ],
    [
      'is of another draft',
      JSON.stringify({ ...object, $schema: 'http://json-schema.org/draft-07/schema#' }),
      /draft-07/,
    ],
    ['is not of an object', JSON.stringify({ type: 'array' }), /"type": "object"/],
    ['is nothing', 'null', /"type": "object"/],
    [
      'refers to another place',
      JSON.stringify({ ...object, properties: { a: { $ref: 'https://example.org/a' } } }),
      /is not within the file/,
    ],
    [
      'refers to nothing',
      JSON.stringify({ ...object, properties: { a: { $ref: '#/$defs/a' } } }),
      /can't resolve reference/,
    ],
    [
      'has an example that breaks it',
      JSON.stringify({ ...closed, examples: [{ guest: 7 }] }),
      /example 0 breaks it: #\/guest must be string/,
    ],
    [
      'has an example that no booking can be',
      JSON.stringify({ ...object, examples: [{ slot: {} }] }),
      /example 0 breaks it: #\/slot/,
    ],
  ])('that %s is refused in one line', (_what, text, fault) => {
    expect(() => read(text)).toThrow(InvalidBookingSchema);
    expect(() => read(text)).toThrow(fault);
    expect(() => read(text)).toThrow(/^BOOKING_SCHEMA_FILE \(.*schema\.json\): .*$/);
  });

  it('that is not there is refused', () => {
    expect(() => readBookingSchema(join(folder, 'none.json'))).toThrow(/ENOENT/);
  });

  it.each([
    ['describes booking_id', { properties: { booking_id: { type: 'string' } } }],
    ['describes slot', { properties: { slot: { type: 'object' } } }],
    ['requires slot', { required: ['slot'] }],
    ['requires created_at', { required: ['created_at'] }],
    ['requires what is taken for a slip of the pen', { required: ['bookingId'] }],
    ['names slot in a condition', { if: { required: ['slot'] }, else: { required: ['guest'] } }],
    ['names slot in an alternative', { anyOf: [{ required: ['slot'] }, { required: ['guest'] }] }],
    [
      'names slot behind a reference',
      { $ref: '#/$defs/more', $defs: { more: { type: 'object', required: ['slot'] } } },
    ],
    ['has guest require slot', { dependentRequired: { guest: ['slot'] } }],
  ])('that %s contradicts the reserved members', (_what, schema) => {
    expect(() => toBookingSchema({ ...object, ...schema })).toThrow(/is reserved/);
  });

  it.each([
    ['closes a part of itself', { allOf: [{ additionalProperties: false }] }],
    ['has slot among other names refused', { propertyNames: { pattern: '^g' } }],
  ])('that %s forbids slots, and is refused', (_what, schema) => {
    expect(() => toBookingSchema({ ...object, ...schema })).toThrow(/does not let a payload have a `slot`/);
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
    const schema = toBookingSchema({ ...object, required: ['constructor'] });
    expect(schema.faultsOf({})).toEqual([{ pointer: '#/constructor', detail: 'is required' }]);
  });

  it('lists at most 20 faults, with pointers as URI fragments', () => {
    const schema = toBookingSchema({ ...object, additionalProperties: { type: 'string' } });
    const payload = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`a/b ~${index}`, index]));
    const faults = schema.faultsOf(payload);
    expect(faults).toHaveLength(20);
    expect(faults[0]).toEqual({ pointer: '#/a~1b%20~00', detail: 'must be string' });
  });
});
