import { InvalidCursor } from '../../src/bookings/domain/booking.errors.js';
import { checksum, fromCursor, type ListFilter, positionOf, toCursor } from '../../src/bookings/domain/cursor.js';
import { aBooking, DAY } from './arbitrary-bookings.js';

const filter: ListFilter = { resourceId: 'room', window: { from: DAY, to: 2 * DAY } };

/** A cursor made by a reader of the source. */
function forged(text: string, of = filter): string {
  return `${text}.${checksum(text, of)}`;
}

describe('A cursor', () => {
  it('is bound to every member of its filter', () => {
    const further = (value: unknown): ListFilter => Object.assign({ ...filter }, { guest: value });
    const cursor = toCursor(positionOf(aBooking({ resource: 'room' }), filter), further('Ada'));
    expect(fromCursor(cursor, further('Ada'))).toBeDefined();
    for (const other of [filter, further('Eve')]) {
      expect(() => fromCursor(cursor, other)).toThrow(InvalidCursor);
    }
  });

  it('stays valid in a newer version', () => {
    const cursor = '1796083200000.019aa1c2-58c4-7e01-8d6e-2b7d2a4c9e10.ctNf3S87Wpf81t7i';
    const of: ListFilter = { resourceId: 'room 7', window: { from: 1_796_000_000_000, to: 1_797_000_000_000 } };
    expect(fromCursor(cursor, of)).toEqual({
      start: 1_796_083_200_000,
      bookingId: '019aa1c2-58c4-7e01-8d6e-2b7d2a4c9e10',
    });
  });

  const id = aBooking().bookingId;
  it.each([
    ['of a slot by creation', `${DAY}.${id}`, { sort: 'created_at' }],
    ['of no slot in a window', `.${id}`, filter],
  ] as const)('is rejected if forged for an impossible position: %s', (_, text, of) => {
    expect(() => fromCursor(forged(text, of), of)).toThrow(InvalidCursor);
  });

  it('is rejected if forged without a position', () => {
    expect(fromCursor(forged(`1.${id}`), filter)).toEqual({ start: 1, bookingId: id });
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
