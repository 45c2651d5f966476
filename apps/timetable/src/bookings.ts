import type { BookingDto, SlotDto } from '@booking-service/client';
import { labelOf } from './texts.js';
import { overlap, type Range } from './time.js';

/** Milliseconds between two polls for new bookings. */
export const INTERVAL = 5_000;

export interface Slot extends Range {
  readonly resource: string;
}

/** A booking that holds a slot; its label is untrusted. */
export interface Booked extends Slot {
  readonly booking: BookingDto;
  readonly label: string;
}

/** A part of a row: a booking, free time, or time that has not been read. */
export interface Part extends Range {
  readonly booked?: Booked;
  readonly isUnread?: boolean;
}

export function slotOf({ resource_id: resource, start, end }: SlotDto): Slot {
  return { resource, start: Date.parse(start), end: Date.parse(end) };
}

export function bookedOf(booking: BookingDto): Booked | undefined {
  return booking.slot && { ...slotOf(booking.slot), booking, label: labelOf(booking) };
}

const NONE: readonly Booked[] = [];

/** The bookings of a window, and until when all of them are known. */
export class Bookings {
  window: Range = { start: 0, end: 0 };
  polledAt = -Infinity;
  /** All bookings of the window that start before this instant were read. */
  readTo = 0;
  /** The bookings of each resource in the order of their starts. A list never changes: it is replaced. */
  readonly #rows = new Map<string, readonly Booked[]>();
  #met = new Set<string>();

  get resources(): string[] {
    return [...this.#rows.keys()];
  }

  addResource(resource: string): void {
    if (!this.#rows.has(resource)) this.#rows.set(resource, []);
  }

  /** Switches to another window: of the bookings, those that overlap it stay, and what was read of its time. */
  show(window: Range): void {
    const readTo = window.start < this.window.start ? 0 : Math.min(this.readTo, window.end);
    this.window = window;
    this.readTo = Math.max(readTo, window.start);
    this.#keep((booked) => overlap(booked, window));
  }

  add(bookings: readonly BookingDto[]): void {
    for (const booking of bookings) {
      const booked = bookedOf(booking);
      this.#met.add(booking.booking_id);
      if (booked) this.addResource(booked.resource);
      if (!booked || this.#has(booked) || !overlap(booked, this.window)) continue;
      const row = this.#rows.get(booked.resource)!;
      const index = row.findLastIndex(({ start }) => start < booked.start) + 1;
      this.#rows.set(booked.resource, row.toSpliced(index, 0, booked));
    }
  }

  beginRound(): void {
    this.#met = new Set();
  }

  /** All of the window is read: known bookings that were not met no longer exist. */
  endRound(): void {
    this.#keep(({ booking }) => this.#met.has(booking.booking_id));
    this.readTo = this.window.end;
  }

  /** Share of the window that has been read, 0 to 1. */
  get share(): number {
    const { start, end } = this.window;
    return (this.readTo - start) / (end - start);
  }

  /** Freshness is an age: what was polled four intervals ago is not known any more. */
  get isFresh(): boolean {
    return Date.now() - this.polledAt < 4 * INTERVAL;
  }

  isUnread({ start, end }: Range): boolean {
    return !this.isFresh || start < this.window.start || end > this.readTo;
  }

  isDeleted(booked: Booked): boolean {
    return this.share === 1 && overlap(booked, this.window) && !this.#has(booked);
  }

  /** All known bookings of a resource: the same list until one is added or gone. */
  of(resource: string): readonly Booked[] {
    return this.#rows.get(resource) ?? NONE;
  }

  booked(resource: string, time: Range): Booked[] {
    return this.of(resource).filter((booked) => overlap(booked, time));
  }

  /** The end of what is known of a time. */
  knownTo({ start, end }: Range): number {
    return this.isFresh ? Math.min(this.readTo, end) : start;
  }

  parts(resource: string, time: Range): Part[] {
    const parts: Part[] = [];
    const known = this.knownTo(time);
    const addBetween = (start: number, end: number) => {
      const border = Math.min(end, Math.max(start, known));
      if (start < border) parts.push({ start, end: border });
      if (border < end) parts.push({ start: border, end, isUnread: true });
    };
    let free = time.start;
    for (const booked of this.booked(resource, time)) {
      addBetween(free, booked.start);
      parts.push({ start: booked.start, end: booked.end, booked });
      free = Math.max(free, booked.end);
    }
    addBetween(free, time.end);
    return parts;
  }

  #keep(isKept: (booked: Booked) => boolean): void {
    for (const [resource, row] of this.#rows) {
      if (!row.every(isKept)) this.#rows.set(resource, row.filter(isKept));
    }
  }

  #has({ resource, booking: { booking_id: id } }: Booked): boolean {
    return this.#rows.get(resource)?.some(({ booking }) => booking.booking_id === id) ?? false;
  }
}

export const bookings = new Bookings();
