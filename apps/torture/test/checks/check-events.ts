import type { Received } from 'testing';
import { RECOVERY } from '../limits.js';
import type { KeptBooking, Violations } from './history.js';

/** A booking that was deleted, as it was, and when its deletion was acknowledged, on the clock of the calls. */
export interface Deletion {
  readonly row: KeptBooking;
  readonly completed: number;
}

/**
 * E1: an event of every booking that is kept, and of every deletion, is acknowledged by an endpoint. E2: nothing else is sent
 * to it: each event is of a booking that was kept, with its bytes, or of a deletion, with nothing but the slot; no creation is
 * sent longer after its deletion than a request may be in flight.
 *
 * @param received what was sent to the endpoint
 * @param accepted what it acknowledged
 */
export function checkEvents(
  { received, accepted }: { received: readonly Received[]; accepted: readonly Received[] },
  rows: readonly KeptBooking[],
  deletions: readonly Deletion[] = [],
): Violations {
  const kept = new Map([...rows, ...deletions.map(({ row }) => row)].map((row) => [row.bookingId, row]));
  const deletedAt = new Map(deletions.map(({ row, completed }) => [row.bookingId, completed]));
  const ids = new Set(accepted.map(({ event }) => event.id));
  const wanted = [
    ...rows.map(({ bookingId }) => `created-${bookingId}`),
    ...deletions.map(({ row }) => `deleted-${row.bookingId}`),
  ];
  const lost = wanted.filter((id) => !ids.has(id)).map((id) => `E1: ${id} was not delivered.`);
  const wrong = received.flatMap(({ event, body, at }) => {
    const row = kept.get(event.subject);
    if (row === undefined) return [`E2: ${event.id} was sent, and is of no booking.`];
    if (body.endsWith(`,"data":${dataOf(row, event)}}`)) {
      const isLate = event.id.startsWith('created-') && at > (deletedAt.get(event.subject) ?? Infinity) + RECOVERY;
      return isLate ? [`E2: ${event.id} was sent after the booking was deleted.`] : [];
    }
    return [`E2: ${event.id} was sent as ${body}.`];
  });
  return [...lost, ...wrong];
}

function dataOf({ bookingId, json }: KeptBooking, { id, type, data }: Received['event']): string | undefined {
  if (type === 'bookings.booking.created') return id === `created-${bookingId}` ? json : undefined;
  const { slot } = JSON.parse(json) as { slot?: object };
  const deletion = { booking_id: bookingId, slot, deleted_at: data.deleted_at };
  return id === `deleted-${bookingId}` && type === 'bookings.booking.deleted' ? JSON.stringify(deletion) : undefined;
}

/** Deliveries of an event that its endpoint had acknowledged before. */
export function duplicatesOf(accepted: readonly Received[]): number {
  return accepted.length - new Set(accepted.map(({ event }) => event.id)).size;
}
