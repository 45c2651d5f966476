import type { BookingDto } from '@booking-service/client';

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

/** A part of a row: a booking, or the free time between two. */
export interface Cell {
  readonly start: number;
  readonly end: number;
  /** Absent if the cell is free. */
  readonly booked?: Booked;
}

/** All bookings that were read. Bookings never change or disappear, so they are only added. */
export class Schedule {
  readonly #ids = new Set<string>();
  readonly #rows = new Map<string, Booked[]>();
  readonly #versions = new Map<string, number>();

  get resources(): Iterable<string> {
    return this.#rows.keys();
  }

  /** Increases with every booking of a resource. */
  version(resource: string): number {
    return this.#versions.get(resource) ?? 0;
  }

  /** @returns how many of them are new, including those without a slot */
  add(bookings: readonly BookingDto[]): number {
    const unknown = bookings.filter(({ booking_id: id }) => !this.#ids.has(id));
    const touched = new Set<string>();
    for (const booking of unknown) {
      this.#ids.add(booking.booking_id);
      const { slot } = booking;
      if (slot === undefined) continue;
      const resource = slot.resource_id;
      this.addResources([resource]);
      const booked = { booking, resource, start: Date.parse(slot.start), end: Date.parse(slot.end) };
      this.#rows.get(resource)!.push(booked);
      touched.add(resource);
    }
    for (const resource of touched) {
      this.#rows.get(resource)!.sort((a, b) => a.start - b.start);
      this.#versions.set(resource, this.version(resource) + 1);
    }
    return unknown.length;
  }

  addResources(names: Iterable<string>): void {
    for (const name of names) if (!this.#rows.has(name)) this.#rows.set(name, []);
  }

  /** The bookings of a resource that overlap `[from, to)`, by start. */
  booked(resource: string, from: number, to: number): Booked[] {
    return (this.#rows.get(resource) ?? []).filter(({ start, end }) => start < to && end > from);
  }

  /** The bookings of a resource in `[from, to)`, and the free time between them. */
  cells(resource: string, from: number, to: number): Cell[] {
    const cells: Cell[] = [];
    let free = from;
    for (const booked of this.booked(resource, from, to)) {
      if (booked.start > free) cells.push({ start: free, end: booked.start });
      cells.push({ start: booked.start, end: booked.end, booked });
      free = Math.max(free, booked.end);
    }
    if (free < to) cells.push({ start: free, end: to });
    return cells;
  }
}
