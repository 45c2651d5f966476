import type { BookingDto } from '@booking-service/client';
import { type Range, Ranges } from './ranges.js';

/** A time of one resource. */
export interface Slot {
  readonly resource: string;
  readonly start: number;
  readonly end: number;
}

/** A booking that holds a slot. */
export interface Booked extends Slot {
  readonly booking: BookingDto;
}

/** A part of a row: a booking, free time, or time of which it is not known what it is. */
export interface Cell extends Range {
  readonly booked?: Booked;
  /** Whether the bookings of this time have not been read. */
  readonly isUnread?: boolean;
}

/** The slot that a booking holds, if it has one. */
export function slotOf(booking: BookingDto): Booked | undefined {
  const { slot } = booking;
  if (slot === undefined) return undefined;
  return { booking, resource: slot.resource_id, start: Date.parse(slot.start), end: Date.parse(slot.end) };
}

/** The bookings that were read, and of which time all of them are known. */
export class Schedule {
  /** The order in which bookings became known. */
  readonly #known = new Map<string, number>();
  /** How many bookings have become known so far. */
  count = 0;
  readonly #rows = new Map<string, Booked[]>();
  readonly #versions = new Map<string, number>();
  /** Those that hold no slot. */
  slotless: readonly BookingDto[] = [];
  readonly #read = new Ranges();
  #reads = 0;

  get resources(): Iterable<string> {
    return this.#rows.keys();
  }

  /** Whether a booking is known, and has not been removed since. */
  hasBooking({ booking_id: id }: BookingDto): boolean {
    return this.#known.has(id);
  }

  hasResource(resource: string): boolean {
    return this.#rows.has(resource);
  }

  /** Another number whenever the cells of a resource may be others. */
  version(resource: string): number {
    return this.#reads + (this.#versions.get(resource) ?? 0);
  }

  /** @returns how many of them are new, including those without a slot */
  add(bookings: readonly BookingDto[]): number {
    const unknown = bookings.filter(({ booking_id: id }) => !this.#known.has(id));
    const touched = new Set<string>();
    for (const booking of unknown) {
      this.#known.set(booking.booking_id, ++this.count);
      const booked = slotOf(booking);
      if (booked === undefined) {
        this.slotless = [...this.slotless, booking];
        continue;
      }
      this.addResources([booked.resource]);
      this.#rows.get(booked.resource)!.push(booked);
      touched.add(booked.resource);
    }
    for (const resource of touched) {
      this.#rows.get(resource)!.sort((a, b) => a.start - b.start);
      this.#touch(resource);
    }
    return unknown.length;
  }

  addResources(names: Iterable<string>): void {
    for (const name of names) if (!this.#rows.has(name)) this.#rows.set(name, []);
  }

  /** All bookings that overlap this time are known now. */
  markRead({ start, end }: Range): void {
    if (this.#read.add(start, end)) this.#reads += 1;
  }

  /** The parts of a time that are not read, in order. */
  unread({ start, end }: Range): Range[] {
    return this.#read.gaps(start, end);
  }

  /** Nothing counts as read any more; known bookings stay. */
  forgetRead(): void {
    this.#read.clear();
    this.#reads += 1;
  }

  /** Removes those of the first `known` bookings that are in this time and no longer exist. */
  removeMissing({ start, end }: Range, existing: ReadonlySet<string>, known: number): void {
    for (const [resource, row] of this.#rows) {
      const kept = row.filter(({ booking: { booking_id: id }, ...slot }) => {
        const isMissing = slot.start < end && slot.end > start && !existing.has(id) && this.#known.get(id)! <= known;
        if (isMissing) this.#known.delete(id);
        return !isMissing;
      });
      if (kept.length === row.length) continue;
      this.#rows.set(resource, kept);
      this.#touch(resource);
    }
  }

  /** Removes those of the first `known` bookings that hold no slot, were created after an instant and no longer exist. */
  removeSlotless(after: string, existing: ReadonlySet<string>, known: number): void {
    this.slotless = this.slotless.filter(({ booking_id: id, created_at: created }) => {
      const isMissing = created > after && !existing.has(id) && this.#known.get(id)! <= known;
      if (isMissing) this.#known.delete(id);
      return !isMissing;
    });
  }

  /** The bookings of a resource that overlap `[from, to)`, by start. */
  booked(resource: string, from: number, to: number): Booked[] {
    return (this.#rows.get(resource) ?? []).filter(({ start, end }) => start < to && end > from);
  }

  /** The bookings of a resource in `[from, to)`, and what is between them. */
  cells(resource: string, from: number, to: number): Cell[] {
    const cells: Cell[] = [];
    const addBetween = (start: number, end: number) => {
      for (const gap of this.#read.gaps(start, end)) {
        if (gap.start > start) cells.push({ start, end: gap.start });
        cells.push({ ...gap, isUnread: true });
        start = gap.end;
      }
      if (start < end) cells.push({ start, end });
    };
    let free = from;
    for (const booked of this.booked(resource, from, to)) {
      addBetween(free, booked.start);
      cells.push({ start: booked.start, end: booked.end, booked });
      free = Math.max(free, booked.end);
    }
    addBetween(free, to);
    return cells;
  }

  #touch(resource: string): void {
    this.#versions.set(resource, (this.#versions.get(resource) ?? 0) + 1);
  }
}
