import type { Received, Receiver } from 'testing';
import { RECOVERY } from '../limits.js';
import type { KeptBooking, Violations } from './history.js';

export interface Deletion {
  /** The booking before its deletion. */
  readonly row: KeptBooking;
  /** Milliseconds of `performance.now()`. */
  readonly completed: number;
}

/**
 * E1: an endpoint gets an event for every kept booking and for every deletion. E2: the event of a creation has the
 * bytes of its booking and is not sent after the deletion; that of a deletion has only the id, the slot and the time.
 */
export function checkEvents(
  { received, accepted }: Pick<Receiver, 'received' | 'accepted'>,
  rows: readonly KeptBooking[],
  deletions: readonly Deletion[],
): Violations {
  const kept = new Map([...rows, ...deletions.map(({ row }) => row)].map((row) => [row.bookingId, row]));
  const deletedAt = new Map(deletions.map(({ row, completed }) => [`created-${row.bookingId}`, completed]));
  const ids = new Set(accepted.map(({ event }) => event.id));
  const due = [
    ...rows.map(({ bookingId }) => `created-${bookingId}`),
    ...deletions.map(({ row }) => `deleted-${row.bookingId}`),
  ];
  const lost = due.filter((id) => !ids.has(id)).map((id) => `E1: ${id} was not delivered.`);
  const wrong = received.flatMap(({ event, body, at }) => {
    const row = kept.get(event.subject);
    if (row === undefined) return [`E2: ${event.id} was sent, but belongs to no booking.`];
    if (!body.endsWith(`,"data":${dataOf(row, event)}}`)) return [`E2: ${event.id} was sent as ${body}.`];
    const isLate = at > (deletedAt.get(event.id) ?? Infinity) + RECOVERY;
    return isLate ? [`E2: ${event.id} was sent after the booking was deleted.`] : [];
  });
  return [...lost, ...wrong];
}

function dataOf({ bookingId, json }: KeptBooking, { id, type, data }: Received['event']): string | undefined {
  if (id === `created-${bookingId}` && type === 'bookings.booking.created') return json;
  if (id !== `deleted-${bookingId}` || type !== 'bookings.booking.deleted') return undefined;
  const { slot } = JSON.parse(json) as { slot?: object };
  return JSON.stringify({ booking_id: bookingId, slot, deleted_at: data.deleted_at });
}
