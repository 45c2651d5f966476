import BTreeModule from 'sorted-btree';
import type { Booking } from '../booking.js';
import type { ListPosition } from '../list-position.js';
import { compareCreation } from './creation-order.js';

// sorted-btree is CommonJS: the class is the `default` of what a Node import gives.
const BTree = BTreeModule.default;

/**
 * Bookings in the order of one of their instants, ties broken by `bookingId`, in a B+ tree.
 * Adding one and finding a place cost O(log n), every further step O(1).
 */
export class BookingOrder {
  private readonly tree: BTreeModule.default<Booking, undefined>;

  /** @param instantOf what this order sorts by, milliseconds since 1970 */
  constructor(private readonly instantOf: (booking: Booking) => number) {
    this.tree = new BTree(undefined, this.compare);
  }

  readonly compare = (a: Booking, b: Booking): number => this.instantOf(a) - this.instantOf(b) || compareCreation(a, b);

  add(booking: Booking): void {
    this.tree.set(booking, undefined);
  }

  /** The bookings that come after `after`, as long as their instant is before `end`. */
  *ascending(after?: ListPosition, end = Infinity): Generator<Booking> {
    for (const booking of this.tree.keys(after && placeholderAt(after))) {
      if (this.instantOf(booking) >= end) return;
      if (booking.bookingId !== after?.bookingId) yield booking;
    }
  }

  /** The bookings that come before `before`, from the last to the first, as long as their instant is not before `start`. */
  *descending(before?: ListPosition, start = -Infinity): Generator<Booking> {
    for (const [booking] of this.tree.entriesReversed(before && placeholderAt(before), undefined, true)) {
      if (this.instantOf(booking) < start) return;
      yield booking;
    }
  }
}

/** The place right before every booking whose instant is `instant`. */
export function startOf(instant: number): ListPosition {
  return { at: instant, bookingId: '' };
}

/** What stands at a position in any order: every instant of it is the position's. */
export function placeholderAt({ at, bookingId }: ListPosition): Booking {
  const instant = at ?? 0;
  return {
    bookingId,
    slot: { resourceId: '', start: instant, end: instant },
    json: '',
  };
}
