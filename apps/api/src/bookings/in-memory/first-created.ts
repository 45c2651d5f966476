import { type Booking, createdAtOf } from '../booking.js';
import type { ListPosition } from '../cursor.js';
import { compareCreation } from './creation-order.js';
import type { CreationVisitor } from './start-order.js';

/**
 * Of the bookings that it is shown, in any order, the few that were created first, or last.
 *
 * Their times lie side by side, and it looks only into bookings of the same millisecond. A booking that is not among
 * the few costs a comparison, another at most `count` moves. To select among all of them and then sort took an object
 * for each; the selection alone was 11 of the 190 µs of a window among a million bookings.
 */
export class FirstCreated {
  /** In the order of the answer; times times the direction, so that they ascend. */
  readonly bookings: Booking[] = [];
  private readonly times: number[] = [];
  private readonly afterTime: number;

  /**
   * @param direction 1 for those that were created first, -1 for those that were created last
   * @param after what comes before this place, or is at it, is left out
   */
  constructor(
    private readonly count: number,
    private readonly direction: 1 | -1,
    private readonly after: ListPosition | undefined,
  ) {
    this.afterTime = after === undefined ? -Infinity : createdAtOf(after.bookingId) * direction;
  }

  readonly show: CreationVisitor = (booking, createdAt) => {
    const { bookings, times } = this;
    const time = createdAt * this.direction;
    if (this.compare(time, booking, this.afterTime, this.after!) <= 0) return;
    let at = bookings.length;
    if (at === this.count) {
      if (!this.comesBefore(time, booking, at - 1)) return;
      at--;
    }
    for (; at > 0 && this.comesBefore(time, booking, at - 1); at--) {
      times[at] = times[at - 1]!;
      bookings[at] = bookings[at - 1]!;
    }
    times[at] = time;
    bookings[at] = booking;
  };

  private comesBefore(time: number, booking: Booking, index: number): boolean {
    return this.compare(time, booking, this.times[index]!, this.bookings[index]!) < 0;
  }

  private compare(time: number, booking: Booking, otherTime: number, other: { bookingId: string }): number {
    return time - otherTime || compareCreation(booking, other) * this.direction;
  }
}
