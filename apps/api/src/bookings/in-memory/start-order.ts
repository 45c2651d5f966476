import type { Booking } from '../booking.js';

/** Which bookings, and in which direction. */
export interface StartQuery {
  /** Bookings, at most. */
  readonly count: number;
  readonly descending: boolean;
  /** Only slots that overlap `[from, to)`, milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  /** Only bookings that come after this sort key, in the direction of the query. */
  readonly after?: StartKey | undefined;
}

export interface StartKey {
  readonly start: number;
  readonly bookingId: string;
}

/**
 * Bookings with a slot, ordered by its start, then by `booking_id`: a B+ tree in which every entry also knows the
 * latest end below it (an interval tree, as in Cormen et al., "Introduction to Algorithms", §14.3).
 *
 * Adding costs O(log n). A list costs O(log n) for each booking on its page, whatever the window: an entry that ends
 * before the window holds no match, and one that does not holds at least one.
 *
 * No ordered map from a registry keeps such a summary (`sorted-btree`, `functional-red-black-tree`), and the interval
 * trees there read neither backwards nor from a key.
 */
export class StartOrder {
  private root: Node;

  /** @param nodeSize entries of a node, at most; at least 2 */
  constructor(private readonly nodeSize = 64) {
    this.root = new Leaf();
  }

  add(booking: Booking): void {
    const split = this.root.add(booking, this.nodeSize);
    if (split !== undefined) this.root = Branch.of(this.root, split);
  }

  list(query: StartQuery): Booking[] {
    const found: Booking[] = [];
    this.root.collect(found, query);
    return found;
  }
}

type Node = Leaf | Branch;

/** Entries side by side: `starts[i]` is the first start below entry `i`, `ends[i]` the latest end. */
abstract class Entries<Item> {
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  readonly items: Item[] = [];

  /** The id of the first booking below an entry. */
  protected abstract firstId(item: Item): string;
  /** Adds to `found` what entry `index` has for the query. */
  protected abstract collectFrom(index: number, found: Booking[], query: StartQuery): void;

  collect(found: Booking[], query: StartQuery): void {
    const { count, descending, from, to, after } = query;
    const step = descending ? -1 : 1;
    const end = descending ? -1 : this.items.length;
    for (let index = this.firstIndex(descending, after); index !== end && found.length < count; index += step) {
      if (this.starts[index]! < to && this.ends[index]! > from) this.collectFrom(index, found, query);
    }
  }

  /** The last entry that does not come after the key, or 0: the key's neighbours are in it or in the entry next to it. */
  protected lastUpTo(start: number, bookingId: string): number {
    let low = 0;
    let high = this.items.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.isUpTo(middle, start, bookingId)) low = middle;
      else high = middle;
    }
    return low;
  }

  /** Whether an entry exists and does not come after the key. */
  protected isUpTo(index: number, start: number, bookingId: string): boolean {
    const difference = this.starts[index]! - start;
    return difference < 0 || (difference === 0 && this.firstId(this.items[index]!) <= bookingId);
  }

  protected insert(index: number, start: number, end: number, item: Item): void {
    this.starts.splice(index, 0, start);
    this.ends.splice(index, 0, end);
    this.items.splice(index, 0, item);
  }

  /** Moves the second half of the entries to `rest`. */
  protected splitInto<Rest extends Entries<Item>>(rest: Rest): Rest {
    const half = this.items.length >>> 1;
    rest.starts.push(...this.starts.splice(half));
    rest.ends.push(...this.ends.splice(half));
    rest.items.push(...this.items.splice(half));
    return rest;
  }

  private firstIndex(descending: boolean, after: StartKey | undefined): number {
    if (after !== undefined) return this.lastUpTo(after.start, after.bookingId);
    return descending ? this.items.length - 1 : 0;
  }
}

class Leaf extends Entries<Booking> {
  /** @returns the second half, where the leaf had to be split */
  add(booking: Booking, maxSize: number): Leaf | undefined {
    const { start, end } = booking.slot!;
    const previous = this.lastUpTo(start, booking.bookingId);
    // Nothing may come before it: then `previous` is the first entry, or there is none.
    this.insert(this.isUpTo(previous, start, booking.bookingId) ? previous + 1 : previous, start, end, booking);
    return this.items.length > maxSize ? this.splitInto(new Leaf()) : undefined;
  }

  protected override firstId(item: Booking): string {
    return item.bookingId;
  }

  protected override collectFrom(index: number, found: Booking[], { descending, after }: StartQuery): void {
    const booking = this.items[index]!;
    if (after === undefined || isBefore(booking, after.start, after.bookingId) === descending) {
      // The booking at the key itself is neither before nor after it.
      if (booking.bookingId !== after?.bookingId || booking.slot!.start !== after.start) found.push(booking);
    }
  }
}

class Branch extends Entries<Node> {
  static of(...nodes: Node[]): Branch {
    const branch = new Branch();
    for (const [index, node] of nodes.entries()) {
      branch.insert(index, node.starts[0]!, Math.max(...node.ends), node);
    }
    return branch;
  }

  /** @returns the second half, where the branch had to be split */
  add(booking: Booking, maxSize: number): Branch | undefined {
    const { start, end } = booking.slot!;
    const index = this.lastUpTo(start, booking.bookingId);
    const node = this.items[index]!;
    const split = node.add(booking, maxSize);
    this.starts[index] = node.starts[0]!;
    if (split === undefined) {
      this.ends[index] = Math.max(this.ends[index]!, end);
      return undefined;
    }
    this.ends[index] = Math.max(...node.ends);
    this.insert(index + 1, split.starts[0]!, Math.max(...split.ends), split);
    return this.items.length > maxSize ? this.splitInto(new Branch()) : undefined;
  }

  protected override firstId(item: Node): string {
    return item instanceof Leaf ? item.items[0]!.bookingId : item.firstId(item.items[0]!);
  }

  protected override collectFrom(index: number, found: Booking[], query: StartQuery): void {
    this.items[index]!.collect(found, query);
  }
}

/** Whether a booking comes before a sort key. */
function isBefore({ slot, bookingId }: Booking, start: number, id: string): boolean {
  return slot!.start < start || (slot!.start === start && bookingId < id);
}
