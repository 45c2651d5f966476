import fc from 'fast-check';
import { CreationOrder } from '../../src/bookings/in-memory/creation-order.js';

const booking = (bookingId: string) => ({ bookingId, slot: undefined, json: '' });
const ids = (bookings: readonly { bookingId: string }[]): string[] => bookings.map(({ bookingId }) => bookingId);
const anId = fc.string({ minLength: 1, maxLength: 3, unit: fc.constantFrom('a', 'b', 'c') });

describe('The order of creation', () => {
  it('is that of the ids, in whatever order they come, and is read from any place in both directions', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anId), anId, fc.integer({ min: 1, max: 5 }), (added, place, count) => {
        const order = new CreationOrder();
        for (const id of added) order.add(booking(id));
        const sorted = added.toSorted();
        const after = sorted.filter((id) => id > place);
        const before = sorted.filter((id) => id < place).toReversed();
        expect(ids(order.ascending(count))).toEqual(sorted.slice(0, count));
        expect(ids(order.ascending(count, place))).toEqual(after.slice(0, count));
        expect(ids(order.descending(count))).toEqual(sorted.toReversed().slice(0, count));
        expect(ids(order.descending(count, place))).toEqual(before.slice(0, count));
      }),
    );
  });
});
