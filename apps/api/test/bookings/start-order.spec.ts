import fc from 'fast-check';
import { createdAtOf } from '../../src/bookings/booking.js';
import { compareStart, StartOrder } from '../../src/bookings/in-memory/start-order.js';

/** So small that a few bookings are cut into many chunks, also amid those that start together. */
const CHUNK_SIZE = 3;

const anId = fc
  .tuple(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 0, max: 9 }))
  .map(([time, random]) => `019aa1c2-6d${String(time).padStart(2, '0')}-7000-8000-00000000000${random}`);
const aStart = fc.integer({ min: 0, max: 12 });
const bookings = fc.uniqueArray(fc.tuple(anId, aStart), { selector: ([id]) => id, maxLength: 60 }).map((entries) =>
  entries.map(([bookingId, start], index) => ({
    bookingId,
    slot: { resourceId: `r${index}`, start, end: start + 1 },
    json: '',
  })),
);
const places = fc.record({ at: fc.constantFrom(-1, 3, 7, 12, 13), bookingId: anId });

describe('The order by start', () => {
  it('is read from any place in both directions, whatever the order in which its bookings came', () => {
    fc.assert(
      fc.property(bookings, places, aStart, (added, place, bound) => {
        const order = orderOf(added);
        const sorted = added.toSorted(compareStart);
        // A place that is a booking's own is neither before nor after it; one with another start is.
        const own = sorted.map(({ slot, bookingId }) => ({ at: slot.start, bookingId }));
        const beside = own.map(({ at, bookingId }) => ({ at: at + 1, bookingId }));
        for (const at of [place, ...own, ...beside]) {
          const isAfter = (booking: (typeof added)[0]): boolean => compareStart(booking, bookingAt(at)) > 0;
          const isBefore = (booking: (typeof added)[0]): boolean => compareStart(booking, bookingAt(at)) < 0;
          expect([...order.ascending(at)]).toEqual(sorted.filter(isAfter));
          expect([...order.descending(at)]).toEqual(sorted.filter(isBefore).toReversed());
        }
        expect([...order.ascending()]).toEqual(sorted);
        expect([...order.descending()]).toEqual(sorted.toReversed());
        expect([...order.ascending(undefined, bound)]).toEqual(sorted.filter(({ slot }) => slot.start < bound));
        expect([...order.descending(undefined, bound)]).toEqual(
          sorted.filter(({ slot }) => slot.start >= bound).toReversed(),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('shows what starts within a window, with the time of its creation', () => {
    fc.assert(
      fc.property(bookings, aStart, aStart, (added, from, to) => {
        const within = added.filter(({ slot }) => slot.start >= from && slot.start < to).toSorted(compareStart);
        const visited: [unknown, number][] = [];
        orderOf(added).visit(from, to, (booking, createdAt) => visited.push([booking, createdAt]));
        expect(visited).toEqual(within.map((booking) => [booking, createdAtOf(booking.bookingId)]));
      }),
    );
  });

  it('knows which starts last before an instant', () => {
    fc.assert(
      fc.property(bookings, fc.integer({ min: -1, max: 14 }), (added, instant) => {
        const before = added.filter(({ slot }) => slot.start < instant).toSorted(compareStart);
        expect(orderOf(added).lastBefore(instant)?.slot!.start).toBe(before.at(-1)?.slot.start);
      }),
    );
  });
});

function orderOf(added: readonly ReturnType<typeof bookingAt>[]): StartOrder {
  const order = new StartOrder(CHUNK_SIZE);
  for (const booking of added) order.add(booking);
  return order;
}

function bookingAt({ at, bookingId }: { at: number; bookingId: string }) {
  return { bookingId, slot: { resourceId: 'r', start: at, end: at + 1 }, json: '' };
}
