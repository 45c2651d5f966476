import type { BookingDto } from '@booking-service/client';

/** A half-open range of instants. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A time of one resource. */
export interface Slot extends Range {
  readonly resource: string;
}

/** A booking that holds a slot. */
export interface Booked extends Slot {
  readonly booking: BookingDto;
}

/** A part of a row: a booking, free time, or time of which it is not known what it is. */
export interface Cell extends Range {
  readonly booked?: Booked;
  /** Whether the bookings of this time have not been read, or the last read of them failed. */
  readonly isUnread?: boolean;
}

/** The bookings of a window, and until when all of them are known. */
export class Schedule {
  window: Range = { start: 0, end: 0 };
  #readTo = 0;
  #isStale = false;
  readonly #rows = new Map<string, Booked[]>();
  readonly #versions = new Map<string, number>();
  #reads = 0;
  /** The bookings of the window. */
  readonly #ids = new Set<string>();
  /** Those that were met since the window began to be read. */
  #met = new Set<string>();

  get resources(): Iterable<string> {
    return this.#rows.keys();
  }

  hasResource(resource: string): boolean {
    return this.#rows.has(resource);
  }

  addResources(names: Iterable<string>): void {
    for (const name of names) if (!this.#rows.has(name)) this.#rows.set(name, []);
  }

  /** Another number whenever the cells of a resource may be others. */
  version(resource: string): number {
    return this.#reads + (this.#versions.get(resource) ?? 0);
  }

  /** Switches to another window: of the bookings, those that overlap it stay; none of its time is read. */
  show(window: Range): void {
    this.window = window;
    this.#keep(({ start, end }) => start < window.end && end > window.start);
    this.forgetRead();
  }

  /** Adds the bookings of the window, and the resources of all. */
  add(bookings: readonly BookingDto[]): void {
    const touched = new Set<string>();
    for (const booking of bookings) {
      const { booking_id: id, slot } = booking;
      this.#met.add(id);
      if (slot === undefined) continue;
      const [start, end] = [Date.parse(slot.start), Date.parse(slot.end)];
      const booked = { booking, resource: slot.resource_id, start, end };
      this.addResources([booked.resource]);
      if (this.#ids.has(id) || !this.#isInWindow(booked)) continue;
      this.#ids.add(id);
      this.#rows.get(booked.resource)!.push(booked);
      touched.add(booked.resource);
    }
    for (const resource of touched) {
      this.#rows.get(resource)!.sort((a, b) => a.start - b.start);
      this.#touch(resource);
    }
  }

  /** The window begins to be read from its start. */
  beginReading(): void {
    this.#met = new Set();
  }

  /** All bookings that start before an instant are known now. */
  markRead(to: number): void {
    if (to <= this.#readTo) return;
    this.#readTo = Math.min(to, this.window.end);
    this.#reads += 1;
  }

  /** All of the window is read: known bookings that were not met no longer exist. */
  endReading(): void {
    this.#keep(({ booking }) => this.#met.has(booking.booking_id));
    this.markRead(this.window.end);
  }

  /** None of the window counts as read; known bookings stay. */
  forgetRead(): void {
    this.#readTo = this.window.start;
    this.#reads += 1;
  }

  /** While the last read has failed, no time counts as read. */
  set isStale(isStale: boolean) {
    if (this.#isStale !== isStale) this.#reads += 1;
    this.#isStale = isStale;
  }

  /** Share of the window that has been read, 0 to 1. */
  get share(): number {
    const { start, end } = this.window;
    return (this.#readTo - start) / (end - start);
  }

  /** Whether it is not known of a part of this time what is booked. */
  isUnread({ start, end }: Range): boolean {
    return this.#isStale || start < this.window.start || end > this.#readTo;
  }

  /** Whether it is known that a booking of the window, which was read once, no longer exists. */
  isDeleted(booked: Booked): boolean {
    return this.share === 1 && this.#isInWindow(booked) && !this.#ids.has(booked.booking.booking_id);
  }

  /** The bookings of a resource that overlap `[from, to)`, by start. */
  booked(resource: string, from: number, to: number): Booked[] {
    return (this.#rows.get(resource) ?? []).filter(({ start, end }) => start < to && end > from);
  }

  /** The bookings of a resource in `[from, to)`, and what is between them. */
  cells(resource: string, from: number, to: number): Cell[] {
    const cells: Cell[] = [];
    const known = this.#isStale ? [from, from] : [this.window.start, this.#readTo];
    const addBetween = (start: number, end: number) => {
      const [first, last] = known.map((instant) => Math.min(end, Math.max(start, instant))) as [number, number];
      if (start < first) cells.push({ start, end: first, isUnread: true });
      if (first < last) cells.push({ start: first, end: last });
      if (last < end) cells.push({ start: last, end, isUnread: true });
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

  #isInWindow({ start, end }: Range): boolean {
    return start < this.window.end && end > this.window.start;
  }

  #keep(isKept: (booked: Booked) => boolean): void {
    for (const [resource, row] of this.#rows) {
      const kept = row.filter(isKept);
      if (kept.length === row.length) continue;
      for (const { booking } of row) this.#ids.delete(booking.booking_id);
      for (const { booking } of kept) this.#ids.add(booking.booking_id);
      this.#rows.set(resource, kept);
      this.#touch(resource);
    }
  }

  #touch(resource: string): void {
    this.#versions.set(resource, (this.#versions.get(resource) ?? 0) + 1);
  }
}
