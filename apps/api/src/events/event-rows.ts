import type { BookingCreated } from './event.js';
import type { Progress } from './event-store.js';

/** Of a bigint, and of what is made of one, which pg gives as text. */
type Digits = string;

export interface ProgressRow {
  delivered: Digits;
  previous: Digits;
  ahead: Digits[];
  attempts: number;
  failing_since: Digits | null;
}

export interface EventRow {
  sequence: Digits;
  previous: Digits;
  booking_id: string;
  resource_id: string | null;
  json: string;
}

export type ScannedRow = { scanned_to: Digits | null; scanned: Digits; matches: Digits | null; parked: boolean } & (
  | EventRow
  | { sequence: null }
);

export function progressOf({ delivered, previous, ahead, attempts, failing_since }: ProgressRow): Progress {
  return {
    delivered: Number(delivered),
    previous: Number(previous),
    ahead: ahead.map(Number),
    attempts,
    failingSince: failing_since === null ? undefined : Number(failing_since),
  };
}

export function eventOf({ sequence, previous, booking_id, resource_id, json }: EventRow): BookingCreated {
  return {
    sequence: Number(sequence),
    previous: Number(previous),
    bookingId: booking_id,
    resourceId: resource_id ?? undefined,
    json,
  };
}
