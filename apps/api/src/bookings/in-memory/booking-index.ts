import type { Booking, Slot } from '../booking.js';
import type { BookingsQuery } from '../bookings.repository.js';
import { CreationOrder } from './creation-order.js';
import { StartOrder } from './start-order.js';

/** Bookings in every order of the list: all of them, or those on one resource. */
export class BookingIndex {
  private readonly byCreation: CreationOrder;
  private readonly byStart: StartOrder;
  private readonly withoutSlot: CreationOrder;

  /** @param sizes of the nodes and blocks of its orders; tests make them small */
  constructor({ nodeSize, blockSizes }: { nodeSize?: number; blockSizes?: readonly number[] } = {}) {
    this.byCreation = new CreationOrder(blockSizes);
    this.byStart = new StartOrder(nodeSize);
    this.withoutSlot = new CreationOrder(blockSizes);
  }

  add(booking: Booking): void {
    this.byCreation.add(booking);
    if (booking.slot === undefined) this.withoutSlot.add(booking);
    else this.byStart.add(booking);
  }

  /** The first `count` bookings of a list, whatever its `limit`. */
  list(count: number, { sort, from = -Infinity, to = Infinity, after }: BookingsQuery): Booking[] {
    const descending = sort.startsWith('-');
    const isWindowed = from !== -Infinity || to !== Infinity;
    if (sort === 'created_at' || sort === '-created_at') {
      const window = isWindowed ? { from, to } : undefined;
      return this.byCreation.list({ count, descending, window, after: after?.bookingId });
    }
    const isPastSlots = after?.at === null;
    const key = after && { start: after.at!, bookingId: after.bookingId };
    const found = isPastSlots ? [] : this.byStart.list({ count, descending, from, to, after: key });
    if (isWindowed || found.length === count) return found;
    const afterId = isPastSlots ? after.bookingId : undefined;
    return [...found, ...this.withoutSlot.list({ count: count - found.length, descending, after: afterId })];
  }

  /**
   * The booking whose slot overlaps this one, where there is any. For the bookings on one resource alone: their slots
   * do not overlap, so that only the one that starts last before the end can.
   */
  holderOf({ start, end }: Slot): Booking | undefined {
    const after = { start: end, bookingId: '' };
    const [last] = this.byStart.list({ count: 1, descending: true, from: -Infinity, to: Infinity, after });
    return last !== undefined && last.slot!.end > start ? last : undefined;
  }
}
