import BTreeModule from 'sorted-btree';
import type { Booking } from '../booking.js';
import type { ListPosition } from '../list-position.js';
import { compareCreation } from './creation-order.js';

// sorted-btree is CommonJS: the class is the `default` of what a Node import gives.
const BTree = BTreeModule.default;

/** Bookings with a slot, in the order of its start. */
export interface ByStart {
  add(booking: Booking): void;
  /** The bookings that come after `after`, as long as their start is before `end`. */
  ascending(after?: ListPosition, end?: number): Iterable<Booking>;
  /** The bookings that come before `before`, from the last to the first, as long as their start is not before `start`. */
  descending(before?: ListPosition, start?: number): Iterable<Booking>;
}

/** Bookings by start in a B+ tree. Adding one and finding a place cost O(log n), every further step O(1). */
export class StartOrder implements ByStart {
  private readonly tree = new BTree<Booking, undefined>(undefined, compareStart);

  add(booking: Booking): void {
    this.tree.set(booking, undefined);
  }

  /** The booking that comes right before `position`. */
  lastBefore(position: ListPosition): Booking | undefined {
    return this.tree.nextLowerKey(placeholderAt(position));
  }

  *ascending(after?: ListPosition, end = Infinity): Generator<Booking> {
    for (const booking of this.tree.keys(after && placeholderAt(after))) {
      if (booking.slot!.start >= end) return;
      if (booking.bookingId !== after?.bookingId) yield booking;
    }
  }

  *descending(before?: ListPosition, start = -Infinity): Generator<Booking> {
    for (const [booking] of this.tree.entriesReversed(before && placeholderAt(before), undefined, true)) {
      if (booking.slot!.start < start) return;
      yield booking;
    }
  }
}

/** Negative where `a` starts before `b`; ties are broken by the order of creation. */
export function compareStart(a: Booking, b: Booking): number {
  return a.slot!.start - b.slot!.start || compareCreation(a, b);
}

/** The place right before every booking whose slot starts at `instant`. */
export function startOf(instant: number): ListPosition {
  return { at: instant, bookingId: '' };
}

/** What stands at a position in the order. */
export function placeholderAt({ at, bookingId }: ListPosition): Booking {
  const instant = at ?? 0;
  return {
    bookingId,
    slot: { resourceId: '', start: instant, end: instant },
    json: '',
  };
}
