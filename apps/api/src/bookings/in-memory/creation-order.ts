import { type Booking, createdAtOf } from '../booking.js';
import { BookingRun } from './booking-run.js';

/**
 * Bookings in the order of their ids, which is that of their creation. Adding one is O(1), a page
 * O(log n + its size). Only after the clock was set back does one go anywhere but to the end, in O(n).
 */
export class CreationOrder {
  /** By the time of creation, in milliseconds since 1970. */
  private readonly run = new BookingRun();

  add(booking: Booking): void {
    const createdAt = createdAtOf(booking.bookingId);
    this.run.insert(this.run.countUpTo(createdAt, booking.bookingId), createdAt, booking);
  }

  /** The first `count` bookings after an id, or of all. */
  ascending(count: number, afterId?: string): Booking[] {
    const start = afterId === undefined ? 0 : this.run.countUpTo(createdAtOf(afterId), afterId);
    return this.run.bookings.slice(start, start + count);
  }

  /** The last `count` bookings before an id, or of all, from the last to the first. */
  descending(count: number, beforeId?: string): Booking[] {
    const end = beforeId === undefined ? this.run.length : this.run.countBefore(createdAtOf(beforeId), beforeId);
    return this.run.bookings.slice(Math.max(0, end - count), end).toReversed();
  }
}

/** Negative where `a` was created before `b`. */
export function compareCreation(a: { bookingId: string }, b: { bookingId: string }): number {
  return a.bookingId < b.bookingId ? -1 : Number(a.bookingId > b.bookingId);
}
