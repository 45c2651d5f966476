import type { Booking, Slot } from '../domain/booking.js';
import type { PageQuery } from '../domain/bookings.repository.js';
import type { ListFilter, TimeWindow } from '../domain/cursor.js';

/** Maximum bookings in a chunk: an insertion may move all of them, and a list may read all of them. */
const CHUNK_SIZE = 256;

interface Chunk {
  readonly bookings: SlotBooking[];
  /** The start of each booking, kept apart because numbers are faster to search. */
  readonly starts: number[];
  latestEnd: number;
}

type SlotBooking = Booking & { readonly slot: Slot };

/** Indexes all bookings, or the bookings of one resource, by creation and by start. */
export class BookingIndex {
  /** Ordered by id, and so by creation. */
  private readonly created: Booking[] = [];
  /** Bookings with a slot, ordered by start, then by id. */
  private readonly chunks: Chunk[] = [];

  constructor(private readonly chunkSize = CHUNK_SIZE) {}

  add(booking: Booking): void {
    this.created.splice(this.countUpTo(booking.bookingId), 0, booking);
    if (booking.slot !== undefined) this.addByStart(booking as SlotBooking);
  }

  list({ window, sort }: ListFilter, page: PageQuery): Booking[] {
    if (window !== undefined) return this.listByStart(window, page);
    return sort === 'created_at' ? this.listOldest(page) : this.listNewest(page);
  }

  /**
   * Finds a booking whose slot overlaps, in the index of one resource. Slots of a resource do not overlap each other:
   * if any overlaps, the last to start before `end` does.
   */
  holderOf({ start, end }: Slot): SlotBooking | undefined {
    // `''` sorts before every id.
    const { at, place } = this.placeOf(end, '');
    const last = this.chunks[at]?.bookings[place - 1];
    return last !== undefined && last.slot.end > start ? last : undefined;
  }

  private listOldest({ limit, after }: PageQuery): Booking[] {
    const first = after === undefined ? 0 : this.countUpTo(after.bookingId);
    return this.created.slice(first, first + limit);
  }

  private listNewest({ limit, after }: PageQuery): Booking[] {
    const { created } = this;
    const isReached = (index: number): boolean => created[index]!.bookingId >= after!.bookingId;
    const end = after === undefined ? created.length : firstIndex(created.length, isReached);
    return created.slice(Math.max(0, end - limit), end).toReversed();
  }

  private countUpTo(bookingId: string): number {
    const { created } = this;
    const last = created.at(-1);
    if (last === undefined || last.bookingId <= bookingId) return created.length;
    return firstIndex(created.length, (index) => created[index]!.bookingId > bookingId);
  }

  private addByStart(booking: SlotBooking): void {
    const { start, end } = booking.slot;
    const { at, place } = this.placeOf(start, booking.bookingId);
    const chunk = (this.chunks[at] ??= { bookings: [], starts: [], latestEnd: -Infinity });
    chunk.bookings.splice(place, 0, booking);
    chunk.starts.splice(place, 0, start);
    chunk.latestEnd = Math.max(chunk.latestEnd, end);
    if (chunk.bookings.length <= this.chunkSize) return;
    const middle = chunk.bookings.length >>> 1;
    const rest = chunk.bookings.splice(middle);
    const starts = chunk.starts.splice(middle);
    chunk.latestEnd = latestEndOf(chunk.bookings);
    this.chunks.splice(at + 1, 0, { bookings: rest, starts, latestEnd: latestEndOf(rest) });
  }

  /** The place after all bookings up to this start and id: the index of a chunk, and an index in it or its length. */
  private placeOf(start: number, bookingId: string): { at: number; place: number } {
    const { chunks } = this;
    const next = firstIndex(chunks.length, (index) => isAfter(chunks[index]!, 0, start, bookingId));
    const at = Math.max(0, next - 1);
    const chunk = chunks[at];
    const place = firstIndex(chunk?.starts.length ?? 0, (index) => isAfter(chunk!, index, start, bookingId));
    return { at, place };
  }

  /** Skips chunks that end before the window. Each one read contains a match, except perhaps the first and the last. */
  private listByStart({ from, to }: TimeWindow, { limit, after }: PageQuery): Booking[] {
    const { chunks } = this;
    const found: Booking[] = [];
    const first = after === undefined ? { at: 0, place: 0 } : this.placeOf(after.start!, after.bookingId);
    for (let at = first.at; at < chunks.length && chunks[at]!.starts[0]! < to; at++) {
      const { bookings, latestEnd } = chunks[at]!;
      if (latestEnd <= from) continue;
      for (let place = at === first.at ? first.place : 0; place < bookings.length; place++) {
        const { start, end } = bookings[place]!.slot;
        if (start < to && end > from && found.push(bookings[place]!) === limit) return found;
      }
    }
    return found;
  }
}

function isAfter({ starts, bookings }: Chunk, at: number, start: number, id: string): boolean {
  return starts[at]! > start || (starts[at] === start && bookings[at]!.bookingId > id);
}

function latestEndOf(bookings: readonly SlotBooking[]): number {
  return bookings.reduce((latest, { slot }) => Math.max(latest, slot.end), -Infinity);
}

/** The first index from which the condition holds, found by binary search; `length` if it holds nowhere. */
function firstIndex(length: number, condition: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (condition(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
