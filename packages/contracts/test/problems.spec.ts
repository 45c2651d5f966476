import { readFileSync } from 'node:fs';
import {
  problemDetails,
  problemSchema,
  problemType,
  problemTypes,
  fieldErrorAt,
  type ProblemName,
} from '../src/index.js';

const names = Object.keys(problemTypes) as ProblemName[];

describe('a problem type', () => {
  it('has a row in docs/interface.md with its status, and no other has', () => {
    const page = readFileSync(new URL('../../../docs/interface.md', import.meta.url), 'utf8');
    const [, errors] = /^## Errors\n(.*?)^## /ms.exec(page)!;
    const rows = [...errors!.matchAll(/^\| `([\w-]+)` +\| (\d+) /gm)].map(([, name, status]) => [name, Number(status)]);
    expect(rows).toEqual(names.map((name) => [name, problemTypes[name].status]));
  });

  // URN syntax (RFC 8141 §2): a namespace, and a string of few characters.
  it.each(names)('is named by a URN that ends in its name, with a title and a sentence of its own: %s', (name) => {
    expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(problemType(name)).toBe(`urn:problem-type:bookings:${name}`);
    const { title } = problemTypes[name];
    expect(names.filter((other) => problemTypes[other].title === title)).toEqual([name]);
    expect(problemDetails[name]).toMatch(/^[A-Z].+\.$/);
    expect(names.filter((other) => problemDetails[other] === problemDetails[name])).toEqual([name]);
  });
});

describe('a problem', () => {
  const problem = {
    type: problemType('slot-taken'),
    ...problemTypes['slot-taken'],
    detail: 'room-7 is booked from 09:00 to 10:00',
    instance: '/v1/bookings',
  };

  it.each(Object.keys(problem))('has its %s', (name) => {
    expect(problemSchema.safeParse({ ...problem, [name]: undefined }).success).toBe(false);
  });

  it('may list faults, carry the conflicting slot and have members that are added later', () => {
    const slot = { resource_id: 'room-7', start: '2026-12-01T09:00:00.000Z', end: '2026-12-01T10:00:00.000Z' };
    const errors = [{ pointer: '#/slot', detail: 'is taken' }];
    for (const whole of [problem, { ...problem, errors, conflicting_slot: slot, retry: false }])
      expect(problemSchema.parse(whole)).toEqual(whole);
  });
});

describe('the pointer to a fault', () => {
  it.each([
    ['the whole document', [], '#'],
    ['an element of an array', ['seats', 0, 'row'], '#/seats/0/row'],
    ['an empty name', ['', 'a'], '#//a'],
    ['a name with a slash', ['a/b'], '#/a~1b'],
    ['a name that looks escaped', ['~1'], '#/~01'],
    ['names from RFC 6901 §6', ['c%d', 'e^f', 'g|h', 'i\\j', 'k"l', ' '], '#/c%25d/e%5Ef/g%7Ch/i%5Cj/k%22l/%20'],
    ['a name beyond the basic plane', ['🎾'], '#/%F0%9F%8E%BE'],
    ['a lone surrogate, which has no encoding', ['a\ud83c'], '#/a%EF%BF%BD'],
    ['1,000 characters', ['slot', 'a'.repeat(993)], `#/slot/${'a'.repeat(993)}`],
  ])('is an RFC 6901 URI fragment for %s', (_, path, pointer) => {
    expect(fieldErrorAt(path, 'is wrong')).toEqual({ pointer, detail: 'is wrong' });
  });

  const long = 'a'.repeat(990);
  it.each([
    ['of 1,001 characters', ['slot', 'a'.repeat(994)], '#/slot'],
    ['of a name that is longer when it is escaped', ['名'.repeat(200)], '#'],
    ['below a long name', [long, 'slot', 'b', 'c'], `#/${long}/slot/b`],
    ['below a name of 60,000 characters', ['x'.repeat(60_000), 'b'], '#'],
  ])('leads to a member around it where it has more than 1,000 characters: %s', (_, path, pointer) => {
    expect(fieldErrorAt(path, 'is wrong')).toEqual({ pointer, detail: 'a member within this one is wrong' });
  });
});
