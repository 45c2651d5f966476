import type { Booking } from '../booking.js';

/**
 * Bookings in the order of a number each, and of their ids where it is the same.
 *
 * The numbers lie side by side in memory, and a search looks into no booking but those with the very number it is
 * for: among a million bookings, each such look waits for memory (docs/performance.md).
 */
export class BookingRun {
  readonly numbers: number[] = [];
  readonly bookings: Booking[] = [];

  get length(): number {
    return this.bookings.length;
  }

  /** Puts a booking in at a place. It costs a move of all that come after it, and nothing at the end. */
  insert(index: number, number: number, booking: Booking): void {
    if (index === this.length) {
      this.numbers.push(number);
      this.bookings.push(booking);
    } else {
      this.numbers.splice(index, 0, number);
      this.bookings.splice(index, 0, booking);
    }
  }

  /** How many bookings are not after a place: O(log n), O(1) where that is all of them. */
  countUpTo(number: number, bookingId: string): number {
    let [low, high] = [0, this.length];
    if (high > 0 && this.isUpTo(number, bookingId, high - 1)) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.isUpTo(number, bookingId, middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  countBefore(number: number, bookingId: string): number {
    const count = this.countUpTo(number, bookingId);
    const isThere =
      count > 0 && this.numbers[count - 1] === number && this.bookings[count - 1]!.bookingId === bookingId;
    return isThere ? count - 1 : count;
  }

  /** Whether the booking at `index` is not after a place. */
  private isUpTo(number: number, bookingId: string, index: number): boolean {
    const difference = this.numbers[index]! - number;
    if (difference !== 0) return difference < 0;
    // No id is empty: a place before all with one number is told apart without a look.
    return bookingId !== '' && this.bookings[index]!.bookingId <= bookingId;
  }
}
