import { type Booking, NewBooking } from '../../src/bookings/domain/booking.js';

export const DAY = Date.parse('2026-12-01T00:00:00.000Z');
export const HOUR = 3_600_000;

let sequence = 0;

export interface BookingWish {
  resource?: string;
  /** Hours after {@link DAY}. */
  start?: number;
  end?: number;
  /** Milliseconds since 1970. */
  createdAt?: number;
  details?: Record<string, unknown>;
}

/** A booking as the service would make it, with an id of its own. */
export function aBooking({ resource, start = 0, end = 1, createdAt = DAY, details }: BookingWish = {}): Booking {
  sequence++;
  const time = createdAt.toString(16).padStart(12, '0');
  const bookingId = `${time.slice(0, 8)}-${time.slice(8)}-7c3a-9f0b-${sequence.toString(16).padStart(12, '0')}`;
  const slot = resource !== undefined && {
    slot: {
      resource_id: resource,
      start: atHour(start),
      end: atHour(end),
    },
  };
  const booking = new NewBooking(bookingId, { ...slot, ...details });
  return { bookingId, slot: booking.slot, json: booking.json };
}

function atHour(hours: number): string {
  return new Date(Math.round(DAY + hours * HOUR)).toISOString();
}
