import type { Booking } from '../booking.js';

/**
 * Bookings in the order of their ids, which is that of their creation, in an array. Adding one is
 * O(1), a page O(log n + its size). Only after the clock was set back does one go anywhere but to
 * the end, in O(n).
 */
export class CreationOrder {
  private readonly bookings: Booking[] = [];

  static of(...bookings: Booking[]): CreationOrder {
    const order = new CreationOrder();
    for (const booking of bookings) order.add(booking);
    return order;
  }

  add(booking: Booking): void {
    const last = this.bookings.at(-1);
    if (last === undefined || last.bookingId < booking.bookingId) this.bookings.push(booking);
    else this.bookings.splice(this.countUpTo(booking.bookingId), 0, booking);
  }

  /** The first `count` bookings after an id, or of all. */
  ascending(count: number, afterId = ''): Booking[] {
    const start = this.countUpTo(afterId);
    return this.bookings.slice(start, start + count);
  }

  /** The last `count` bookings before an id, or of all, from the last to the first. */
  descending(count: number, beforeId?: string): Booking[] {
    const end = beforeId === undefined ? this.bookings.length : this.countBefore(beforeId);
    return this.bookings.slice(Math.max(0, end - count), end).toReversed();
  }

  /** The bookings after an id, or all, one by one. */
  *following(afterId = ''): Generator<Booking> {
    for (let index = this.countUpTo(afterId); index < this.bookings.length; index++) yield this.bookings[index]!;
  }

  /** The bookings before an id, or all, one by one from the last to the first. */
  *preceding(beforeId?: string): Generator<Booking> {
    let index = beforeId === undefined ? this.bookings.length : this.countBefore(beforeId);
    while (index > 0) yield this.bookings[--index]!;
  }

  private countBefore(bookingId: string): number {
    const count = this.countUpTo(bookingId);
    return this.bookings[count - 1]?.bookingId === bookingId ? count - 1 : count;
  }

  /** How many bookings have an id that is not after `bookingId`. */
  private countUpTo(bookingId: string): number {
    let [low, high] = [0, this.bookings.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.bookings[middle]!.bookingId <= bookingId) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Negative where `a` was created before `b`. */
export function compareCreation(a: { bookingId: string }, b: { bookingId: string }): number {
  return a.bookingId < b.bookingId ? -1 : Number(a.bookingId > b.bookingId);
}
