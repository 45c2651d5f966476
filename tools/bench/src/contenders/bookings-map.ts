import { randomUUID } from 'node:crypto';

export interface Payload {
  slot?: { resource_id: string; start: string; end: string } | undefined;
  [name: string]: unknown;
}

export interface Booking extends Payload {
  booking_id: string;
  created_at: string;
}

const DAY = 86_400_000;
const PAGE = 20;

/** Where contenders without a store keep bookings: plain maps, with no checks but overlaps and keys. */
export class BookingsMap {
  private readonly byId = new Map<string, Booking>();
  private readonly byKey = new Map<string, Booking>();
  private readonly newestLast: Booking[] = [];
  /** The windows that begin on one day, by resource and day. No slot of the bench is longer than a day. */
  private readonly windows = new Map<string, { start: number; end: number }[]>();

  get(id: string): Booking | undefined {
    return this.byId.get(id);
  }

  list(): Booking[] {
    return this.newestLast.slice(-PAGE).toReversed();
  }

  /** @returns undefined if the slot is taken */
  create(payload: Payload, key: string | undefined): Booking | undefined {
    const first = key === undefined ? undefined : this.byKey.get(key);
    if (first !== undefined) return first;
    if (payload.slot !== undefined && !this.take(payload.slot)) return undefined;
    const booking = { booking_id: randomUUID(), created_at: new Date().toISOString(), ...payload };
    this.byId.set(booking.booking_id, booking);
    this.newestLast.push(booking);
    if (key !== undefined) this.byKey.set(key, booking);
    return booking;
  }

  private take(slot: NonNullable<Payload['slot']>): boolean {
    const [start, end] = [Date.parse(slot.start), Date.parse(slot.end)];
    const day = Math.floor(start / DAY);
    for (const near of [day - 1, day, day + 1]) {
      const windows = this.windows.get(`${slot.resource_id}|${near}`);
      if (windows?.some((window) => window.start < end && start < window.end)) return false;
    }
    const name = `${slot.resource_id}|${day}`;
    const windows = this.windows.get(name);
    if (windows === undefined) this.windows.set(name, [{ start, end }]);
    else windows.push({ start, end });
    return true;
  }
}
