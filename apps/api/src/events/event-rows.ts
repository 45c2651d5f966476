import { createdAtOf } from '../bookings/booking.js';
import type { Progress } from './endpoint-progress.js';
import { bookingDeleted, type BookingEvent, bookingCreated } from './event.js';

export interface EndpointState {
  readonly name: string;
  readonly progress: Progress;
  /** Events that are not delivered to it yet. */
  readonly behind: number;
  /** Milliseconds since 1970 at which the first of them was created, or deleted; undefined without one. */
  readonly oldest: number | undefined;
  readonly parked: number;
  /** Those of the events behind that the store has beside the position. */
  readonly deferred: number;
  /** Milliseconds until the next attempt. */
  readonly pause: number;
  /** The URL that wants no more events. */
  readonly endedUrl: string | undefined;
  /** Whether a running service has it in its file, or had it two minutes ago. */
  readonly isUsed: boolean;
  readonly lastAttempt: Attempt | undefined;
}

export interface Attempt {
  /** The status of its response, or why there was none. */
  readonly result: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface ParkedEvent {
  readonly sequence: number;
  readonly bookingId: string;
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly parkedAt: number;
  /** Whether it is to be sent again. */
  readonly isDue: boolean;
}

/** For a bigint and values computed from one, which pg returns as text. */
type Digits = string;

export interface ProgressRow {
  delivered: Digits;
  previous: Digits;
  ahead: Digits[];
  attempts: number;
  failing_for: Digits | null;
}

export interface ClaimRow extends ProgressRow {
  was_set_back: boolean;
}

export interface EventRow {
  sequence: Digits;
  previous: Digits;
  booking_id: string;
  /** Whether the sequence is that of the deletion, rather than of the creation. */
  is_deletion: boolean;
  resource_id: string | null;
  /** Null once the booking is deleted, and only then the following count. */
  json: string | null;
  slot_start: Digits | null;
  slot_end: Digits | null;
  deleted_at: Digits;
}

export type ScannedRow = {
  scanned_to: Digits;
  scanned: Digits;
  matches: Digits | null;
  parked: boolean;
  held: boolean;
} & (EventRow | { sequence: null });

export type DeferredRow = { deferred: Digits; rejections: number } & (EventRow | { sequence: null });

export interface StateRow extends ProgressRow {
  name: string;
  behind: Digits;
  /** The id of a booking. */
  oldest: string | null;
  /** If the first event is its deletion. */
  oldest_deleted_at: Digits | null;
  parked: Digits;
  deferred: Digits;
  pause: Digits;
  ended_url: string | null;
  is_used: boolean;
  last_result: string | null;
  last_attempt_at: Digits | null;
}

export interface ParkedRow {
  sequence: Digits;
  booking_id: string;
  reason: string;
  parked_at: Digits;
  is_due: boolean;
}

export function progressOf({ delivered, previous, ahead, attempts, failing_for }: ProgressRow): Progress {
  return {
    delivered: Number(delivered),
    previous: Number(previous),
    ahead: ahead.map(Number),
    failures: attempts,
    failingFor: failing_for === null ? undefined : Number(failing_for),
  };
}

export function eventOf(row: EventRow): BookingEvent {
  const { sequence, previous, booking_id, is_deletion, resource_id, json, slot_start, slot_end, deleted_at } = row;
  const place = { sequence: Number(sequence), previous: Number(previous), isOfDeletion: is_deletion };
  const resourceId = resource_id ?? undefined;
  if (json !== null) return bookingCreated(place, { bookingId: booking_id, resourceId, json });
  const slot = resourceId === undefined ? undefined : { resourceId, start: Number(slot_start), end: Number(slot_end) };
  return bookingDeleted(place, { bookingId: booking_id, slot, deletedAt: Number(deleted_at) });
}

export function stateOf(row: StateRow): EndpointState {
  return {
    name: row.name,
    progress: progressOf(row),
    behind: Number(row.behind),
    oldest: oldestOf(row),
    parked: Number(row.parked),
    deferred: Number(row.deferred),
    pause: Number(row.pause),
    endedUrl: row.ended_url ?? undefined,
    isUsed: row.is_used,
    lastAttempt: row.last_result === null ? undefined : { result: row.last_result, at: Number(row.last_attempt_at) },
  };
}

function oldestOf({ oldest, oldest_deleted_at: deletedAt }: StateRow): number | undefined {
  if (deletedAt !== null) return Number(deletedAt);
  return oldest === null ? undefined : createdAtOf(oldest);
}

export function parkedEventOf({ sequence, booking_id, reason, parked_at, is_due }: ParkedRow): ParkedEvent {
  return {
    sequence: Number(sequence),
    bookingId: booking_id,
    reason,
    parkedAt: Number(parked_at),
    isDue: is_due,
  };
}
