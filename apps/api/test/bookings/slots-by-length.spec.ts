import fc from 'fast-check';
import { SlotsByLength } from '../../src/bookings/in-memory/slots-by-length.js';
import { compareStart } from '../../src/bookings/in-memory/start-order.js';
import { aBooking, HOUR } from './arbitrary-bookings.js';

const slots = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 70 }), fc.integer({ min: 1, max: 70 })), { maxLength: 40 })
  .map((extents) =>
    extents.map(([start, length], resource) =>
      aBooking({ resource: `r${resource}`, start: start / HOUR, end: (start + length) / HOUR }),
    ),
  );
const instants = fc
  .integer({ min: -1, max: 150 })
  .map((instant) => aBooking({ resource: 'probe', start: instant / HOUR }).slot!.start);

function indexOf(bookings: ReturnType<typeof aBooking>[]): SlotsByLength {
  const index = new SlotsByLength();
  for (const booking of bookings) index.add(booking);
  return index;
}

describe('The slots of all resources', () => {
  it('around an instant are those that start before it and end after it, to the millisecond', () => {
    fc.assert(
      fc.property(slots, instants, (bookings, at) => {
        const around = bookings.filter(({ slot }) => slot!.start < at && at < slot!.end);
        expect(new Set(indexOf(bookings).around(at))).toEqual(new Set(around));
      }),
      { numRuns: 1_000 },
    );
  });

  it('are read by start, from any place, in both directions', () => {
    fc.assert(
      fc.property(slots, instants, instants, (bookings, from, to) => {
        const index = indexOf(bookings);
        const sorted = bookings.toSorted(compareStart);
        expect([...index.ascending({ at: from, bookingId: '' }, to)]).toEqual(
          sorted.filter(({ slot }) => slot!.start >= from && slot!.start < to),
        );
        expect([...index.descending({ at: to, bookingId: '' }, from)]).toEqual(
          sorted.filter(({ slot }) => slot!.start >= from && slot!.start < to).toReversed(),
        );
        expect([...index.ascending()]).toEqual(sorted);
      }),
    );
  });
});
