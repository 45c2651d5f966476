import { sortOrders } from '@booking-service/contracts';
import { InvalidCursor } from '../../src/bookings/booking.errors.js';
import { checksum, fromCursor, type ListFilter, positionOf, toCursor } from '../../src/bookings/cursor.js';
import { aBooking, DAY } from './arbitrary-bookings.js';

const filter: ListFilter = { sort: 'start', resourceId: 'room', from: DAY, to: undefined };

/** A cursor as someone could make it who has read the source. */
function forged(text: string): string {
  return `${text}.${checksum(text, filter)}`;
}

describe('A cursor', () => {
  it.each(sortOrders)('leads back to its position under %s', (sort) => {
    for (const booking of [aBooking(), aBooking({ resource: 'room' })]) {
      const position = positionOf(booking, sort);
      expect(fromCursor(toCursor(position, { ...filter, sort }), { ...filter, sort })).toEqual(position);
    }
  });

  it.each([
    { sort: '-start' },
    { resourceId: 'Room' },
    { resourceId: undefined },
    { from: DAY + 1 },
    { to: DAY + 1 },
  ] as const)('is refused with another filter or order: %j', (other) => {
    const cursor = toCursor(positionOf(aBooking(), 'start'), filter);
    expect(() => fromCursor(cursor, { ...filter, ...other })).toThrow(InvalidCursor);
  });

  it('is refused where it is forged and names no position', () => {
    const id = aBooking().bookingId;
    expect(fromCursor(forged(`1.${id}`), filter)).toEqual({ at: 1, bookingId: id });
    for (const text of [
      '',
      '.',
      id,
      `1.${id}.`,
      `1.${id.toUpperCase()}`,
      `1.${'-'.repeat(36)}`,
      `01.${id}`,
      `-0.${id}`,
      `1e4.${id}`,
      `1.5.${id}`,
      `${'9'.repeat(16)}.${id}`,
      `null.${id}`,
    ]) {
      expect(() => fromCursor(forged(text), filter)).toThrow(InvalidCursor);
    }
  });
});
