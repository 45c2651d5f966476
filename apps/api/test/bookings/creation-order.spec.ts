import fc from 'fast-check';
import { createdAtOf } from '../../src/bookings/booking.js';
import { CreationOrder } from '../../src/bookings/in-memory/creation-order.js';

const booking = (bookingId: string) => ({ bookingId, slot: undefined, json: '' });
const ids = (bookings: readonly { bookingId: string }[]): string[] => bookings.map(({ bookingId }) => bookingId);
/** Mostly several to a millisecond. */
const anId = fc
  .tuple(fc.constantFrom('00000000-0000', '019aa1c2-6d1e', '019aa1c2-6d1f'), fc.integer({ min: 0, max: 9 }))
  .map(([time, random]) => `${time}-7000-8000-00000000000${random}`);

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

describe('The time of creation', () => {
  it('is the first 48 bits of an id', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), (time) => {
        const digits = time.toString(16).padStart(12, '0');
        expect(createdAtOf(`${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`)).toBe(time);
      }),
    );
  });
});
