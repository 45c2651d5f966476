import { sortOrders } from '@booking-service/contracts';
import fc from 'fast-check';
import type { Booking } from '../../src/bookings/domain/booking.js';
import { ALL_TIME } from '../../src/bookings/domain/cursor.js';
import { BookingIndex } from '../../src/bookings/in-memory/booking-index.js';
import { InMemoryBookingsRepository } from '../../src/bookings/in-memory/in-memory-bookings.repository.js';
import { BookingsModel } from './bookings-model.js';
import { describeBookingsRepository } from './bookings-repository.suite.js';

/** Small, so that a few bookings fill many chunks. */
const CHUNK_SIZE = 2;

const time = fc.integer({ min: 0, max: 20 });
const anId = fc
  .tuple(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 0, max: 9 }))
  .map(([at, random]) => `019aa1c2-6d${String(at).padStart(2, '0')}-7000-8000-00000000000${random}`);
const aSlot = fc.option(fc.tuple(time, fc.integer({ min: 1, max: 20 })), { nil: undefined, freq: 6 });
const someBookings = fc.uniqueArray(fc.tuple(anId, aSlot), { selector: ([id]) => id, maxLength: 80 });
/** Bookings in the order of their ids, except that the clock is set back once. */
const inTurns = fc.tuple(someBookings, fc.nat(79)).map(([entries, setBackAt]) => {
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return sorted.slice(setBackAt).concat(sorted.slice(0, setBackAt));
});
const bookings = fc.oneof(inTurns, someBookings).map((entries) =>
  entries.map(([bookingId, slot], index): Booking => ({
    bookingId,
    slot: slot && { resourceId: `r${index}`, start: slot[0], end: slot[0] + slot[1] },
    json: '',
  })),
);
const order = fc.record({ sort: fc.constantFrom(...sortOrders) });
const window = fc
  .tuple(fc.option(time, { nil: ALL_TIME.from }), fc.option(time, { nil: ALL_TIME.to }))
  .filter(([from, to]) => from < to)
  .map(([from, to]) => ({ window: { from, to } }));
const position = fc.option(fc.record({ start: time, bookingId: anId }), { nil: undefined });
const query = fc.tuple(fc.oneof(order, window), fc.integer({ min: 1, max: 9 }), position).map(([of, limit, after]) => ({
  of,
  page: { limit, after: after && { ...after, start: 'window' in of ? after.start : undefined } },
}));

describe('The index of bookings', () => {
  it('lists like a search of all bookings, for any insertion order, position and window', () => {
    fc.assert(
      fc.property(bookings, fc.array(query, { minLength: 1, maxLength: 20 }), (added, queries) => {
        const index = new BookingIndex(CHUNK_SIZE);
        const model = new BookingsModel();
        for (const booking of added) {
          index.add(booking);
          model.create(booking);
        }
        for (const { of, page } of queries) {
          const { bookings: expected } = model.list(of, page);
          expect(index.list(of, page).map(({ bookingId }) => bookingId)).toEqual(
            expected.map(({ bookingId }) => bookingId),
          );
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('reads few of 100,000 bookings for a page', () => {
    const index = new BookingIndex();
    let reads = 0;
    for (let n = 0; n < 100_000; n++) {
      const bookingId = String(n).padStart(6, '0');
      // One of a hundred is long, and reaches into much later windows.
      const slot = { resourceId: 'r', start: n, end: n + (n % 100 === 0 ? 50_000 : 1) };
      index.add({
        bookingId,
        json: '',
        get slot() {
          reads++;
          return slot;
        },
      });
    }
    const windows = [ALL_TIME, { from: 0, to: 1 }, { from: 75_000, to: 75_001 }, { ...ALL_TIME, from: 200_000 }];
    for (const of of [{}, { sort: 'created_at' as const }, ...windows.map((each) => ({ window: each }))]) {
      for (const after of [undefined, { start: 60_000, bookingId: '060000' }]) {
        reads = 0;
        index.list(of, { limit: 20, after });
        // A chunk of 256 for each booking, and one on either side.
        expect(reads).toBeLessThanOrEqual(22 * 256);
      }
    }
  });

  it('finds the booking that holds a slot, and none for a gap', () => {
    const index = new BookingIndex(CHUNK_SIZE);
    const slots = Array.from({ length: 20 }, (_, n) => ({ resourceId: 'r', start: 2 * n, end: 2 * n + 1 }));
    for (const slot of slots) index.add({ bookingId: String(slot.start), slot, json: '' });
    for (const slot of slots) {
      expect(index.holderOf(slot)?.slot).toBe(slot);
      expect(index.holderOf({ ...slot, start: slot.end, end: slot.end + 1 })).toBeUndefined();
    }
  });
});

describeBookingsRepository('The in-memory repository', async () => new InMemoryBookingsRepository(100_000), 2_000);
