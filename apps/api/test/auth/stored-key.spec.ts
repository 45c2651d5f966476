import fc from 'fast-check';
import { storedKey } from '../../src/bookings/bookings.service.js';

const KEY_CHARACTERS = Array.from({ length: 94 }, (_, index) => String.fromCodePoint(0x21 + index)).filter(
  (character) => character !== '"' && character !== '\\',
);
const idempotencyKey = fc.string({ unit: fc.constantFrom(...KEY_CHARACTERS), minLength: 1, maxLength: 255 });
// Few and close to each other, so that there are equal ones, and one that is the beginning of another.
const callerId = fc.option(
  fc.oneof(fc.constantFrom('a', 'ab', 'a b', 'api-key a', ''), fc.string({ unit: 'binary' })),
  {
    nil: undefined,
  },
);
const named = fc.tuple(idempotencyKey, callerId);

describe('The name under which a key is stored', () => {
  it('is the key itself where the service requires no token', () => {
    fc.assert(fc.property(idempotencyKey, (key) => storedKey(key, undefined) === key));
  });

  it('is one for the same key of the same caller, and never for anything else', () => {
    const pair = fc.oneof(
      fc.tuple(named, named),
      fc.tuple(idempotencyKey, callerId, callerId).map(
        ([key, one, other]) =>
          [
            [key, one],
            [key, other],
          ] as const,
      ),
      fc.tuple(idempotencyKey, callerId).map((same) => [same, [...same] as const] as const),
      // A key that tries to be the stored one of another caller.
      fc.tuple(idempotencyKey, callerId).map(
        ([key, id]) =>
          [
            [key, id],
            [storedKey(key, id).replace(' ', ''), undefined],
          ] as const,
      ),
    );
    fc.assert(
      fc.property(pair, ([[key, id], [otherKey, otherId]]) => {
        expect(storedKey(key, id) === storedKey(otherKey, otherId)).toBe(key === otherKey && id === otherId);
      }),
      { numRuns: 1_000 },
    );
  });

  it('differs for two texts that are the same in UTF-8', () => {
    expect(storedKey('k', '\ud800')).not.toBe(storedKey('k', '\ud801'));
  });

  it('is at most 299 ASCII characters, however long the id of the caller', () => {
    expect(storedKey('k'.repeat(255), 'ñ'.repeat(10_000))).toMatch(/^[ -~]{299}$/);
  });
});
