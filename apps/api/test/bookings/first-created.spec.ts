import fc from 'fast-check';
import { createdAtOf } from '../../src/bookings/booking.js';
import { FirstCreated } from '../../src/bookings/in-memory/first-created.js';

/** Mostly several to a millisecond. */
const anId = fc
  .tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 9 }))
  .map(([time, random]) => `019aa1c2-6d1${time}-7000-8000-00000000000${random}`);

describe('The bookings that were created first, or last', () => {
  it('are as many as are asked for, after a place, in their order, whatever the order in which they are shown', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(anId, { maxLength: 60 }),
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom<1 | -1>(1, -1),
        fc.option(anId, { nil: undefined }),
        (shown, count, direction, place) => {
          const after = place === undefined ? undefined : { at: null, bookingId: place };
          const first = new FirstCreated(count, direction, after);
          for (const bookingId of shown) first.show({ bookingId, slot: undefined, json: '' }, createdAtOf(bookingId));
          const sorted = direction === 1 ? shown.toSorted() : shown.toSorted().toReversed();
          const following = sorted.filter((id) => place === undefined || (direction === 1 ? id > place : id < place));
          expect(first.bookings.map(({ bookingId }) => bookingId)).toEqual(following.slice(0, count));
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
