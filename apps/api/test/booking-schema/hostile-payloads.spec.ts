import { toBookingSchema } from '../../src/booking-schema/read-booking-schema.js';

/** Milliseconds of CPU that a check of a payload may take. */
const LIMIT = 100;

const string = { type: 'string' };
const withMember = (a: object, more: object = {}) => toBookingSchema({ type: 'object', properties: { a }, ...more });

/** CPU, since other programs of the machine do not count. The first check of a schema has more to do than later ones. */
function millisecondsFor(schema: ReturnType<typeof toBookingSchema>, payload: Record<string, unknown>): number {
  expect(JSON.stringify(payload).length).toBeLessThanOrEqual(65_536);
  let least = Infinity;
  // Again where it was slow: a collection of garbage or a busy machine falls into any of them.
  for (let run = 0; run < 10 && least >= LIMIT; run++) {
    const before = process.cpuUsage();
    schema.faultsOf(payload);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

const range = <Value>(length: number, make: (index: number) => Value): Value[] =>
  Array.from({ length }, (_, i) => make(i));

/** Alternatives as schemas of an everyday kind have them: objects, each with four members that it requires. */
function alternatives(count: number): object[] {
  return range(count, (index) => {
    const names = range(4, (member) => `m${index}_${member}`);
    return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, string])), required: names };
  });
}

const listOf = (items: object) => withMember({ type: 'array', items });
const empty = range(21_800, () => ({}));

describe('21,800 objects that match no alternative are rejected at once:', () => {
  const objects = alternatives(20);
  const $defs = Object.fromEntries(
    objects.map((object, index) => [`d${index}`, { ...object, not: { $ref: '#/$defs/none' } }]),
  );

  it.each<[string, object]>([
    ...[6, 12, 20, 40].map((count): [string, object] => [`oneOf with ${count}`, { oneOf: alternatives(count) }]),
    ['anyOf', { anyOf: objects }],
    ['allOf', { allOf: objects }],
    ['oneOf in oneOf', { oneOf: objects.map((object) => ({ oneOf: [object] })) }],
    ['references to references', { oneOf: Object.keys($defs).map((name) => ({ $ref: `#/$defs/${name}` })) }],
    ['a condition', { if: { anyOf: objects }, else: { maxProperties: 0, type: 'object', required: ['a'] } }],
    ['dependent schemas', { type: 'object', minProperties: 1, dependentSchemas: { a: { oneOf: objects } } }],
    ['unevaluated members', { type: 'object', oneOf: objects, unevaluatedProperties: false }],
  ])('%s', (_what, items) => {
    const schema = toBookingSchema({
      type: 'object',
      properties: { a: { type: 'array', items } },
      $defs: { ...$defs, none: { type: 'object', required: ['none'] } },
    });
    expect(schema.faultsOf({ a: empty })).not.toEqual([]);
    expect(millisecondsFor(schema, { a: empty })).toBeLessThan(LIMIT);
  });
});

describe('21,800 objects are checked at once where every alternative is tried for each of them:', () => {
  const objects = alternatives(6);
  const closed = { type: 'object', maxProperties: 0 };

  it.each<[string, object, unknown[]]>([
    ['the last one of oneOf matches', { oneOf: [...objects, closed] }, empty],
    ['the last one of anyOf matches, but for the last object', { anyOf: [...objects, closed] }, [...empty.slice(1), 1]],
    ['`not`', { not: { anyOf: objects } }, empty],
    ['a list that contains none', { type: 'array', contains: { oneOf: objects.slice(0, 2) } }, [empty.slice(1)]],
    ['conditions', { allOf: objects.map((object) => ({ if: object, else: { type: 'object' } })) }, empty],
  ])('%s', (_what, items, a) => {
    expect(millisecondsFor(listOf(items), { a })).toBeLessThan(LIMIT);
  });
});

describe('The faults of a payload', () => {
  const schema = listOf({ oneOf: alternatives(12) });

  it('of ordinary size are all listed', () => {
    const pair = listOf({ oneOf: alternatives(2) });
    const pointers = pair.faultsOf({ a: [...range(900, () => ({ m0_0: '', m0_1: '', m0_2: '', m0_3: '' })), 1, 2] });
    expect(new Set(pointers.map(({ pointer }) => pointer))).toEqual(new Set(['#/a/900', '#/a/901']));
  });

  it('of large size begin with the first one', () => {
    const faults = schema.faultsOf({ a: range(5_000, () => ({})) });
    expect(faults).toContainEqual({ pointer: '#/a/0', detail: 'must match exactly one schema in oneOf' });
    expect(faults.filter(({ pointer }) => !pointer.startsWith('#/a/0'))).toEqual([]);
  });

  it('that would take too long to find are one', () => {
    expect(schema.faultsOf({ a: empty })).toEqual([
      { pointer: '#', detail: expect.stringContaining('is too large to say where') as string },
    ]);
  });
});

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
