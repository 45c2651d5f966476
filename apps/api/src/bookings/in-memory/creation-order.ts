import { type Booking, createdAtOf } from '../booking.js';

/**
 * Bookings in the order of their ids, which is that of their creation, in an array. Adding one is
 * O(1), a page O(log n + its size). Only after the clock was set back does one go anywhere but to
 * the end, in O(n).
 */
export class CreationOrder {
  private readonly bookings: Booking[] = [];
  /** When each was created: side by side in memory, so that a search looks only into bookings of one millisecond. */
  private readonly times: number[] = [];

  static of(...bookings: Booking[]): CreationOrder {
    const order = new CreationOrder();
    for (const booking of bookings) order.add(booking);
    return order;
  }

  add(booking: Booking): void {
    const { bookingId } = booking;
    const createdAt = createdAtOf(bookingId);
    const count = this.bookings.length;
    if (count === 0 || this.isUpTo(bookingId, createdAt, count - 1)) {
      this.bookings.push(booking);
      this.times.push(createdAt);
    } else {
      const place = this.countUpTo(bookingId);
      this.bookings.splice(place, 0, booking);
      this.times.splice(place, 0, createdAt);
    }
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

  /** Shows every booking, with the time of its creation, which is not in the booking. */
  visit(visitor: CreationVisitor): void {
    for (let index = 0; index < this.bookings.length; index++) visitor(this.bookings[index]!, this.times[index]!);
  }

  private countBefore(bookingId: string): number {
    const count = this.countUpTo(bookingId);
    return this.bookings[count - 1]?.bookingId === bookingId ? count - 1 : count;
  }

  /** How many bookings have an id that is not after `bookingId`. */
  private countUpTo(bookingId: string): number {
    if (bookingId === '') return 0;
    const createdAt = createdAtOf(bookingId);
    let [low, high] = [0, this.bookings.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.isUpTo(bookingId, createdAt, middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Whether the booking at `index` has an id that is not after `bookingId`. */
  private isUpTo(bookingId: string, createdAt: number, index: number): boolean {
    const difference = this.times[index]! - createdAt;
    return difference < 0 || (difference === 0 && this.bookings[index]!.bookingId <= bookingId);
  }
}

/** @param createdAt milliseconds since 1970 */
export type CreationVisitor = (booking: Booking, createdAt: number) => void;

/** Negative where `a` was created before `b`. */
export function compareCreation(a: { bookingId: string }, b: { bookingId: string }): number {
  return a.bookingId < b.bookingId ? -1 : Number(a.bookingId > b.bookingId);
}
