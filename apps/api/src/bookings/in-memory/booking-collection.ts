import { type Booking, createdAtOf } from '../booking.js';
import type { BookingsQuery } from '../bookings.repository.js';
import type { ListPosition } from '../cursor.js';
import { compareCreation, CreationOrder } from './creation-order.js';
import { FirstCreated } from './first-created.js';
import { SlotsByLength } from './slots-by-length.js';
import { type ByStart, compareStart, startOf, StartOrder } from './start-order.js';

type Selection = Omit<BookingsQuery, 'limit' | 'resourceId'>;

/** Bookings in every order that the list knows: all of them, or those on one resource. */
export abstract class BookingCollection {
  private readonly byCreation = new CreationOrder();
  protected abstract readonly byStart: ByStart;
  private readonly withoutSlot = new CreationOrder();

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
    if (sort === 'start' || sort === '-start') return this.firstByStart(count, selection);
    if (isWindowed(selection)) return this.createdInWindow(count, selection);
    return inOrder(this.byCreation, count, sort, after);
  }

  /** The bookings whose slot starts before `instant` and ends after it, in no order. */
  protected abstract around(instant: number): Iterable<Booking>;

  private firstByStart(count: number, selection: Selection): Booking[] {
    const { sort, after } = selection;
    const isPastSlots = after?.at === null;
    const found = isPastSlots
      ? []
      : take(count, sort === 'start' ? this.byStartAscending(selection) : this.byStartDescending(selection));
    if (found.length === count || isWindowed(selection)) return found;
    return [...found, ...inOrder(this.withoutSlot, count - found.length, sort, isPastSlots ? after : undefined)];
  }

  private *byStartAscending(selection: Selection): Generator<Booking> {
    const { from = -Infinity, to, after } = selection;
    const isPastFrom = after !== undefined && after.at! >= from;
    if (!isPastFrom) yield* this.reachingInto(selection);
    yield* this.byStart.ascending(isPastFrom ? after : startOf(from), to);
  }

  private *byStartDescending(selection: Selection): Generator<Booking> {
    const { from = -Infinity, to = Infinity, after } = selection;
    yield* this.byStart.descending(after ?? startOf(to), from);
    yield* this.reachingInto(selection);
  }

  /** The bookings that come after the selection's position and whose slot reaches into its window from before it. */
  private reachingInto({ from, sort, after }: Selection): Booking[] {
    if (from === undefined) return [];
    return [...this.around(from)]
      .filter((booking) => after === undefined || isBeyond(booking, after, sort))
      .toSorted(inDirection(compareStart, sort));
  }

  private createdInWindow(count: number, { from, to = Infinity, sort, after }: Selection): Booking[] {
    const first = new FirstCreated(count, isDescending(sort) ? -1 : 1, after);
    if (from !== undefined) {
      for (const booking of this.around(from)) first.show(booking, createdAtOf(booking.bookingId));
    }
    this.byStart.visit(from ?? -Infinity, to, first.show);
    return first.bookings;
  }
}

export class AllBookings extends BookingCollection {
  protected override readonly byStart = new SlotsByLength();

  protected override around(instant: number): Iterable<Booking> {
    return this.byStart.around(instant);
  }
}

/** The bookings on one resource: no two of their slots overlap, so that neighbours tell everything. */
export class ResourceBookings extends BookingCollection {
  protected override readonly byStart = new StartOrder();

  /** A booking that holds any of `[start, end)`. */
  holderOf({ start, end }: { start: number; end: number }): Booking | undefined {
    const previous = this.byStart.lastBefore(end);
    return previous !== undefined && previous.slot!.end > start ? previous : undefined;
  }

  protected override around(instant: number): Iterable<Booking> {
    const holder = this.holderOf({ start: instant, end: instant });
    return holder === undefined ? [] : [holder];
  }
}

/** Whether a booking comes after a position in an order by start. */
function isBeyond(booking: Booking, { at, bookingId }: ListPosition, sort: Selection['sort']): boolean {
  const difference = booking.slot!.start - at! || compareCreation(booking, { bookingId });
  return isDescending(sort) ? difference < 0 : difference > 0;
}

function isWindowed({ from, to }: Selection): boolean {
  return from !== undefined || to !== undefined;
}

function isDescending(sort: Selection['sort']): boolean {
  return sort.startsWith('-');
}

function inDirection<Item>(compare: (a: Item, b: Item) => number, sort: Selection['sort']): typeof compare {
  return isDescending(sort) ? (a, b) => compare(b, a) : compare;
}

function inOrder(order: CreationOrder, count: number, sort: Selection['sort'], after?: ListPosition): Booking[] {
  return isDescending(sort) ? order.descending(count, after?.bookingId) : order.ascending(count, after?.bookingId);
}

function take<Item>(count: number, items: Iterable<Item>): Item[] {
  const taken: Item[] = [];
  for (const item of items) {
    taken.push(item);
    if (taken.length === count) break;
  }
  return taken;
}
