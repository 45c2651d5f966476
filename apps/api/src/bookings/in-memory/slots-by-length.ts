import type { Booking } from '../booking.js';
import type { ListPosition } from '../cursor.js';
import { type ByStart, compareStart, type CreationVisitor, startOf, StartOrder } from './start-order.js';

type Compare = (a: Booking, b: Booking) => number;

/**
 * Bookings on all resources, by start, and those that an instant lies within.
 *
 * A slot is kept with those of about its length: above 1, 2, 4, 8, ... milliseconds up to twice as
 * many. A slot around an instant begins less than its own length before it, so that of each length
 * only that stretch is read. Slots of one resource do not overlap, and those of one length are all
 * longer than half of the stretch: on each resource at most two begin in it.
 *
 * One order serves both, since a create pays for each (docs/performance.md): reading by start merges
 * the lengths, of which there are at most 50.
 */
export class SlotsByLength implements ByStart {
  /** By the greatest length that each takes, in milliseconds. */
  private readonly lengths = new Map<number, StartOrder>();

  add(booking: Booking): void {
    const { start, end } = booking.slot!;
    let greatest = 1;
    while (greatest < end - start) greatest *= 2;
    let order = this.lengths.get(greatest);
    if (order === undefined) this.lengths.set(greatest, (order = new StartOrder()));
    order.add(booking);
  }

  ascending(after?: ListPosition, end?: number): Iterable<Booking> {
    return merge(
      this.each((order) => order.ascending(after, end)),
      compareStart,
    );
  }

  descending(before?: ListPosition, start?: number): Iterable<Booking> {
    return merge(
      this.each((order) => order.descending(before, start)),
      (a, b) => compareStart(b, a),
    );
  }

  visit(start: number, end: number, visitor: CreationVisitor): void {
    for (const order of this.lengths.values()) order.visit(start, end, visitor);
  }

  /** The bookings whose slot starts before `instant` and ends after it, in no order. */
  *around(instant: number): Generator<Booking> {
    for (const [greatest, order] of this.lengths) {
      for (const booking of order.ascending(startOf(instant - greatest + 1), instant)) {
        if (booking.slot!.end > instant) yield booking;
      }
    }
  }

  private each(read: (order: StartOrder) => Generator<Booking>): Generator<Booking>[] {
    return [...this.lengths.values()].map(read);
  }
}

/** What several orders have, in one. */
function* merge(orders: readonly Iterator<Booking>[], compare: Compare): Generator<Booking> {
  let heads = orders.map((order) => ({ order, next: order.next() })).filter(({ next }) => next.done !== true);
  while (heads.length > 0) {
    const first = heads.reduce((best, head) => (compare(head.next.value, best.next.value) < 0 ? head : best));
    yield first.next.value;
    first.next = first.order.next();
    if (first.next.done === true) heads = heads.filter((head) => head !== first);
  }
}
