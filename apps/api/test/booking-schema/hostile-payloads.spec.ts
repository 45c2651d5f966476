import { MAX_PAYLOAD_BYTES } from '@booking-service/contracts';
import { toBookingSchema } from '../../src/booking-schema/read-booking-schema.js';

/** Milliseconds of CPU that a check of a payload may take. */
const LIMIT = 100;

const string = { type: 'string' };
const withMember = (a: object, more: object = {}) => toBookingSchema({ type: 'object', properties: { a }, ...more });

/** CPU, since other programs of the machine do not count. The first check of a schema has more to do than later ones. */
function millisecondsFor(schema: ReturnType<typeof toBookingSchema>, payload: Record<string, unknown>): number {
  expect(JSON.stringify(payload).length).toBeLessThanOrEqual(MAX_PAYLOAD_BYTES);
  let least = Infinity;
  // More than once where it was slow: a collection of garbage falls into any of them.
  for (let run = 0; run < 3 && least >= LIMIT; run++) {
    const before = process.cpuUsage();
    schema.faultsOf(payload);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

const long = 'a'.repeat(60_000);
const numbers = Array.from({ length: 11_000 }, (_, index) => index);
const members = Object.fromEntries(numbers.slice(0, 5_000).map((index) => [`m${index}`, index]));

describe('A payload that is made to take long is checked at once:', () => {
  it.each<[string, ReturnType<typeof toBookingSchema>, Record<string, unknown>]>([
    ['33 characters for a pattern', withMember({ ...string, pattern: '^(a+)+$' }), { a: `${'a'.repeat(32)}!` }],
    [
      'more characters than a pattern is meant for',
      withMember({ ...string, pattern: '^(a+)+$', maxLength: 10 }),
      { a: `${long}!` },
    ],
    [
      'a pattern within alternatives, which are tried before the bound beside them',
      withMember({
        ...string,
        maxLength: 10,
        anyOf: [
          { ...string, pattern: '^(\\w+\\s?)+$' },
          { ...string, pattern: 'x$' },
        ],
      }),
      { a: `${long}!` },
    ],
    ['items that have to be unique', withMember({ type: 'array', uniqueItems: true }), { a: numbers }],
    [
      'more items than there may be, which have to be unique',
      withMember({ type: 'array', uniqueItems: true, maxItems: 10, items: { type: 'number' } }),
      { a: numbers },
    ],
    [
      'names for a pattern',
      withMember(string, { patternProperties: { '^(x+)+$': string } }),
      { [`${'x'.repeat(40)}!`]: 1 },
    ],
    [
      'names that have to be of a pattern',
      withMember(string, { propertyNames: { anyOf: [{ const: 'slot' }, { pattern: '^(a|aa)+$' }] } }),
      { [`${'a'.repeat(100)}!`]: 1 },
    ],
    ['unknown members', withMember(string, { additionalProperties: false }), members],
    [
      'members that alternatives do not know',
      withMember(string, {
        anyOf: [{ required: ['a'] }, { required: ['b'] }],
        unevaluatedProperties: false,
      }),
      members,
    ],
  ])('%s', (_what, schema, payload) => {
    expect(millisecondsFor(schema, payload)).toBeLessThan(LIMIT);
  });
});

describe('Texts that are made to take long are checked at once for the format', () => {
  const formats =
    'date time date-time iso-time iso-date-time duration uri uri-reference uri-template email hostname ipv4 ipv6 uuid regex ' +
    'json-pointer json-pointer-uri-fragment relative-json-pointer byte password binary';
  const starts = [
    '',
    'a',
    'a@',
    'http://',
    'http://a@',
    'http://[',
    '/',
    '#/',
    '0/',
    '{',
    '{a',
    'P',
    'P1',
    'urn:uuid:',
    '2026-12-01T',
    '09:00:00.',
  ];
  const pumped = [
    'a',
    '1',
    'a.',
    'a-',
    '-',
    '.',
    '/',
    ':',
    '@',
    '%',
    '%41',
    '{a}',
    'a,',
    'a:',
    ' ',
    '~',
    '~0',
    '=',
    'é',
    '1D',
    '::',
    'A\n',
    '(',
    '[',
    '(a',
    'T',
    '[a',
  ];
  const ends = ['', '!', '\n', '@', '\u0000'];

  it.each(formats.split(' '))('%s', (format) => {
    const schema = withMember({ ...string, format });
    schema.faultsOf({ a: 'warm' });
    let slowest = { time: 0, start: '', pump: '' };
    for (const start of starts) {
      for (const pump of pumped) {
        for (const end of ends) {
          const a = start + pump.repeat(Math.floor(30_000 / Buffer.byteLength(pump))) + end;
          const time = millisecondsFor(schema, { a });
          if (time > slowest.time) slowest = { time, start, pump };
        }
      }
    }
    expect(slowest.time < LIMIT ? 'fast' : slowest).toBe('fast');
  });
});
