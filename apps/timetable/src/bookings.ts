/** The known bookings. `feed.ts` reads them from the service; the grid is drawn from them. */

import type { BookingDto, SlotDto } from '@booking-service/client';
import { ageOf, type Moment } from './clock.js';
import { labelsOf } from './labels.js';
import { overlap, type Range } from './time.js';

/** The usual time between two polls for new bookings, in milliseconds. */
export const INTERVAL = 5_000;

/** A time range on one resource. */
export interface Slot extends Range {
  readonly resource: string;
}

/** A booking that holds a slot. Its label says who has booked and what, its name only who; both are untrusted. */
export interface Booked extends Slot {
  readonly booking: BookingDto;
  readonly label: string;
  readonly name: string;
}

/** A part of a resource's time: a booking, free time, or time whose bookings are not (or no longer) known. */
export interface Part extends Range {
  readonly booked?: Booked;
  readonly isUnread?: boolean;
}

export function slotOf({ resource_id: resource, start, end }: SlotDto): Slot {
  return { resource, start: Date.parse(start), end: Date.parse(end) };
}

/** @returns undefined for a booking without a slot */
export function bookedOf(booking: BookingDto): Booked | undefined {
  const labels = labelsOf(booking);
  return booking.slot && { ...slotOf(booking.slot), booking, label: labels.join(' · '), name: labels[0]! };
}

const NONE: readonly Booked[] = [];

/** The bookings of a window of time, and how much of the window has been read. */
export class Bookings {
  window: Range = { start: 0, end: 0 };
  /** When the last successful poll began. */
  polledAt: Moment = { at: -Infinity, elapsed: -Infinity };
  /** Every booking that overlaps the window's time before this instant has been read. */
  #readTo = 0;
  /** Each resource's bookings, in order of start. A list is never changed, only replaced. */
  readonly #byResource = new Map<string, readonly Booked[]>();
  /** Ids of all bookings received since the latest round began. */
  #met = new Set<string>();

  get resources(): string[] {
    return [...this.#byResource.keys()];
  }

  addResource(resource: string): void {
    if (!this.#byResource.has(resource)) this.#byResource.set(resource, []);
  }

  /** Switches to another window. Bookings that overlap both windows stay known. */
  show(window: Range): void {
    const readTo = window.start < this.window.start ? 0 : Math.min(this.#readTo, window.end);
    this.window = window;
    this.#readTo = Math.max(readTo, window.start);
    this.#keep((booked) => overlap(booked, window));
  }

  add(bookings: readonly BookingDto[]): void {
    for (const booking of bookings) {
      const booked = bookedOf(booking);
      this.#met.add(booking.booking_id);
      if (booked) this.addResource(booked.resource);
      if (booked && overlap(booked, this.window) && !this.#has(booked)) this.#insert(booked);
    }
  }

  /** Begins a round, which reads the window's bookings in order of start. */
  beginRound(): void {
    this.#met = new Set();
  }

  /** Notes how far a round has read: no unread booking starts earlier than `start`. */
  readTo(start: number): void {
    this.#readTo = Math.max(this.#readTo, start);
  }

  /** Ends a round, which has read the whole window. Removes bookings not received since it began: they are deleted. */
  endRound(): void {
    this.#keep(({ booking }) => this.#met.has(booking.booking_id));
    this.#readTo = this.window.end;
  }

  /** Marks the whole window as unread. Known bookings stay. */
  doubt(): void {
    this.#readTo = this.window.start;
  }

  /** The share of the window that has been read, 0 to 1. */
  get share(): number {
    const { start, end } = this.window;
    return (this.#readTo - start) / (end - start);
  }

  /** Whether the last poll is recent enough to call anything free. */
  get isFresh(): boolean {
    return ageOf(this.polledAt) < 4 * INTERVAL;
  }

  isUnread({ start, end }: Range): boolean {
    return !this.isFresh || start < this.window.start || end > this.#readTo;
  }

  isDeleted(booked: Booked): boolean {
    return this.share === 1 && overlap(booked, this.window) && !this.#has(booked);
  }

  /** All known bookings of a resource: the same array until a booking is added or removed. */
  ofResource(resource: string): readonly Booked[] {
    return this.#byResource.get(resource) ?? NONE;
  }

  find(id: string): Booked | undefined {
    return [...this.#byResource.values()].flat().find(({ booking }) => booking.booking_id === id);
  }

  /** The known bookings of a resource that overlap a time range. */
  booked(resource: string, time: Range): Booked[] {
    return this.ofResource(resource).filter((booked) => overlap(booked, time));
  }

  /** The instant up to which all bookings of a time range are known, at most its end. */
  knownTo({ start, end }: Range): number {
    return this.isFresh ? Math.min(this.#readTo, end) : start;
  }

  /** Divides a time range of a resource into parts, in order. Bookings are not cut at the edges of the range. */
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

  #insert(booked: Booked): void {
    const list = this.ofResource(booked.resource);
    const index = list.findLastIndex(({ start }) => start < booked.start) + 1;
    this.#byResource.set(booked.resource, list.toSpliced(index, 0, booked));
  }

  #keep(isKept: (booked: Booked) => boolean): void {
    for (const [resource, list] of this.#byResource) {
      if (!list.every(isKept)) this.#byResource.set(resource, list.filter(isKept));
    }
  }

  #has({ resource, booking: { booking_id: id } }: Booked): boolean {
    return this.ofResource(resource).some(({ booking }) => booking.booking_id === id);
  }
}

export const bookings = new Bookings();
