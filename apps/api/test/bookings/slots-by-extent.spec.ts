import fc from 'fast-check';
import { SlotsByExtent } from '../../src/bookings/in-memory/slots-by-extent.js';
import { aBooking, HOUR } from './arbitrary-bookings.js';

const slots = fc.array(fc.tuple(fc.integer({ min: 0, max: 70 }), fc.integer({ min: 1, max: 70 })), { maxLength: 40 });

describe('The slots around an instant', () => {
  it('are those that start before it and end after it, to the millisecond', () => {
    fc.assert(
      fc.property(slots, fc.integer({ min: -1, max: 150 }), (extents, instant) => {
        const index = new SlotsByExtent();
        const bookings = extents.map(([start, length], resource) =>
          aBooking({ resource: `r${resource}`, start: start / HOUR, end: (start + length) / HOUR }),
        );
        for (const booking of bookings) index.add(booking);
        const at = aBooking({ resource: 'probe', start: instant / HOUR }).slot!.start;
        const around = bookings.filter(({ slot }) => slot!.start < at && at < slot!.end);
        expect(new Set(index.around(at))).toEqual(new Set(around));
      }),
      { numRuns: 1_000 },
    );
  });
});
