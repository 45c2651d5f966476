import { readFileSync } from 'node:fs';
import { problemDetails, problemSchema, problemType, problemTypes, faultAt, type ProblemName } from '../src/index.js';

describe('a problem type', () => {
  it('has one status and one title, for good', () => {
    expect(problemTypes).toMatchObject({
      'invalid-request': { status: 400 },
      unauthenticated: { status: 401 },
      forbidden: { status: 403 },
      'booking-not-found': { status: 404 },
      'route-not-found': { status: 404 },
      'method-not-allowed': { status: 405 },
      'request-timeout': { status: 408 },
      'slot-taken': { status: 409 },
      'payload-too-large': { status: 413 },
      'unsupported-media-type': { status: 415 },
      'expectation-failed': { status: 417 },
      'invalid-booking': { status: 422 },
      'idempotency-key-reused': { status: 422 },
      'rate-limited': { status: 429 },
      'headers-too-large': { status: 431 },
      internal: { status: 500 },
      unavailable: { status: 503 },
    });
    const titles = Object.values(problemTypes).map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
  });

  it('is named by a URN that ends in its name', () => {
    expect(problemType('slot-taken')).toBe('urn:problem-type:bookings:slot-taken');
    for (const name of Object.keys(problemTypes) as ProblemName[]) {
      // URN syntax (RFC 8141 §2): a namespace, and a string of few characters.
      expect(problemType(name)).toMatch(/^urn:problem-type:bookings:[a-z]+(-[a-z]+)*$/);
    }
  });
});

describe('the detail of a problem', () => {
  it('is a sentence of its own for every type', () => {
    expect(Object.keys(problemDetails)).toEqual(Object.keys(problemTypes));
    const details = Object.values(problemDetails);
    for (const detail of details) expect(detail).toMatch(/^[A-Z].+\.$/);
    expect(new Set(details).size).toBe(details.length);
  });
});

describe('docs/interface.md', () => {
  it('has a row for every problem type, with its status, and for no other', () => {
    const page = readFileSync(new URL('../../../docs/interface.md', import.meta.url), 'utf8');
    const [, errors] = /^## Errors\n(.*?)^## /ms.exec(page)!;
    const rows = [...errors!.matchAll(/^\| `([\w-]+)` +\| (\d+) /gm)].map(([, name, status]) => [name, Number(status)]);
    expect(rows).toEqual(Object.entries(problemTypes).map(([name, { status }]) => [name, status]));
  });
});

describe('a problem', () => {
  const problem = {
    type: problemType('slot-taken'),
    ...problemTypes['slot-taken'],
    detail: 'room-7 is booked from 09:00 to 10:00',
    instance: '/v1/bookings',
  };

  it('has type, title, status, detail and instance', () => {
    expect(problemSchema.parse(problem)).toEqual(problem);
    for (const name of Object.keys(problem)) {
      expect(problemSchema.safeParse({ ...problem, [name]: undefined }).success).toBe(false);
    }
  });

  it('may list faults and carry the conflicting slot', () => {
    const slot = { resource_id: 'room-7', start: '2026-12-01T09:00:00.000Z', end: '2026-12-01T10:00:00.000Z' };
    const whole = { ...problem, errors: [{ pointer: '#/slot', detail: 'is taken' }], conflicting_slot: slot };
    expect(problemSchema.parse(whole)).toEqual(whole);
  });

  it('may have members that are added later', () => {
    expect(problemSchema.parse({ ...problem, retry: false })).toHaveProperty('retry', false);
  });
});

describe('the pointer to a fault', () => {
  it.each([
    ['the whole document', [], '#'],
    ['a member of a member', ['slot', 'start'], '#/slot/start'],
    ['an element of an array', ['seats', 0, 'row'], '#/seats/0/row'],
    ['an empty name', ['', 'a'], '#//a'],
    ['a name with a slash', ['a/b'], '#/a~1b'],
    ['a name with a tilde', ['m~n'], '#/m~0n'],
    ['a name that looks escaped', ['~1'], '#/~01'],
    ['names from RFC 6901 §6', ['c%d', 'e^f', 'g|h', 'i\\j', 'k"l', ' '], '#/c%25d/e%5Ef/g%7Ch/i%5Cj/k%22l/%20'],
    ['a name with a number sign', ['#'], '#/%23'],
    ['a name in another script', ['名前'], '#/%E5%90%8D%E5%89%8D'],
    ['a name beyond the basic plane', ['🎾'], '#/%F0%9F%8E%BE'],
    ['a lone surrogate, which has no encoding', ['a\ud83c'], '#/a%EF%BF%BD'],
  ])('is an RFC 6901 URI fragment for %s', (_, path, pointer) => {
    expect(faultAt(path, 'is wrong')).toEqual({ pointer, detail: 'is wrong' });
  });

  const long = 'a'.repeat(990);
  it.each([
    ['of 1,000 characters', ['slot', 'a'.repeat(993)], `#/slot/${'a'.repeat(993)}`, 'is wrong'],
    ['of 1,001 characters', ['slot', 'a'.repeat(994)], '#/slot', 'a member within this one is wrong'],
    ['of a name that is longer when it is escaped', ['名'.repeat(200)], '#', 'a member within this one is wrong'],
    ['below a long name', [long, 'slot', 'b', 'c'], `#/${long}/slot/b`, 'a member within this one is wrong'],
    ['below a name of 60,000 characters', ['x'.repeat(60_000), 'b'], '#', 'a member within this one is wrong'],
  ])('leads to a member around it where it has more than 1,000 characters: %s', (_, path, pointer, detail) => {
    expect(faultAt(path, 'is wrong')).toEqual({ pointer, detail });
  });
});
