import quickselect from 'quickselect';
import type { Booking } from '../booking.js';
import type { BookingsQuery } from '../bookings.repository.js';
import { BookingOrder, placeholderAt, startOf } from './booking-order.js';
import { SlotsByExtent } from './slots-by-extent.js';

type Selection = Omit<BookingsQuery, 'limit' | 'resourceId'>;

/** Bookings in every order that the list knows: all of them, or those on one resource. */
export abstract class BookingCollection {
  protected readonly byCreation = new BookingOrder();
  protected readonly byStart = new BookingOrder((booking) => booking.slot!.start);
  protected readonly withoutSlot = new BookingOrder();

  add(booking: Booking): void {
    this.byCreation.add(booking);
    (booking.slot === undefined ? this.withoutSlot : this.byStart).add(booking);
  }

  /**
   * The first `count` bookings of a list, in O(log n + count). With a window, a list by creation
   * takes O(log n + the slots in the window), and one by start also the slots that reach into it.
   */
  first(count: number, selection: Selection): Booking[] {
    const { sort, after } = selection;
    if (sort === 'start') return take(count, this.byStartAscending(selection));
    if (sort === '-start') return take(count, this.byStartDescending(selection));
    if (isWindowed(selection)) return this.createdInWindow(count, selection);
    return take(count, sort === 'created_at' ? this.byCreation.ascending(after) : this.byCreation.descending(after));
  }

  /** The bookings whose slot starts before `instant` and ends after it, in no order. */
  protected abstract around(instant: number): Iterable<Booking>;

  private *byStartAscending(selection: Selection): Generator<Booking> {
    const { from = -Infinity, to, after } = selection;
    const isPastSlots = after?.at === null;
    if (!isPastSlots) {
      const isPastFrom = after !== undefined && after.at >= from;
      if (!isPastFrom) yield* this.reachingInto(selection);
      yield* this.byStart.ascending(isPastFrom ? after : startOf(from), to);
    }
    if (!isWindowed(selection)) yield* this.withoutSlot.ascending(isPastSlots ? after : undefined);
  }

  private *byStartDescending(selection: Selection): Generator<Booking> {
    const { from = -Infinity, to = Infinity, after } = selection;
    const isPastSlots = after?.at === null;
    if (!isPastSlots) {
      yield* this.byStart.descending(after ?? startOf(to), from);
      yield* this.reachingInto(selection);
    }
    if (!isWindowed(selection)) yield* this.withoutSlot.descending(isPastSlots ? after : undefined);
  }

  /** The bookings that come after the selection's position and whose slot reaches into its window from before it. */
  private reachingInto({ from, sort, after }: Selection): Booking[] {
    if (from === undefined) return [];
    const compare = inDirection(this.byStart.compare, sort);
    const last = after && placeholderAt(after);
    return [...this.around(from)]
      .filter((booking) => last === undefined || compare(booking, last) > 0)
      .toSorted(compare);
  }

  private createdInWindow(count: number, selection: Selection): Booking[] {
    const { from, to, sort, after } = selection;
    const compare = inDirection(this.byCreation.compare, sort);
    const last = after && placeholderAt(after);
    const found: Booking[] = [];
    for (const booking of this.byStartAscending({ sort: 'start', from, to })) {
      if (last === undefined || compare(booking, last) > 0) found.push(booking);
    }
    if (found.length > count) quickselect(found, count - 1, 0, found.length - 1, compare);
    return found.slice(0, count).toSorted(compare);
  }
}

export class AllBookings extends BookingCollection {
  private readonly slots = new SlotsByExtent();

  override add(booking: Booking): void {
    super.add(booking);
    if (booking.slot !== undefined) this.slots.add(booking);
  }

  protected override around(instant: number): Iterable<Booking> {
    return this.slots.around(instant);
  }
}

/** The bookings on one resource: no two of their slots overlap, so that neighbours tell everything. */
export class ResourceBookings extends BookingCollection {
  /** A booking that holds any of `[start, end)`. */
  holderOf({ start, end }: { start: number; end: number }): Booking | undefined {
    const [previous] = this.byStart.descending(startOf(end));
    return previous !== undefined && previous.slot!.end > start ? previous : undefined;
  }

  protected override around(instant: number): Iterable<Booking> {
    const holder = this.holderOf({ start: instant, end: instant });
    return holder === undefined ? [] : [holder];
  }
}

function isWindowed({ from, to }: Selection): boolean {
  return from !== undefined || to !== undefined;
}

function isDescending(sort: Selection['sort']): boolean {
  return sort.startsWith('-');
}

function inDirection(compare: BookingOrder['compare'], sort: Selection['sort']): BookingOrder['compare'] {
  return isDescending(sort) ? (a, b) => compare(b, a) : compare;
}

function take<Item>(count: number, items: Iterable<Item>): Item[] {
  const taken: Item[] = [];
  for (const item of items) {
    taken.push(item);
    if (taken.length === count) break;
  }
  return taken;
}
