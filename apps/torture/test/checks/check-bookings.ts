import type { SlotDto } from '@booking-service/contracts';
import { groupBy } from './grouping.js';
import { type History, type KeptBooking, mayHaveBooked, type Violations } from './history.js';

interface HeldSlot {
  readonly bookingId: string;
  readonly resourceId: string;
  readonly start: number;
  readonly end: number;
}

/** C1: two bookings never hold overlapping slots of one resource, neither among the 201s nor among the rows. */
export function checkSlotsNeverOverlap(held: readonly HeldSlot[]): Violations {
  return [...groupBy(held, ({ resourceId }) => resourceId).values()].flatMap((slots) => {
    const sorted = slots.toSorted((a, b) => a.start - b.start);
    // If any two overlap, two neighbours do.
    return sorted.slice(1).flatMap((slot, index) => {
      const before = sorted[index]!;
      if (slot.start >= before.end) return [];
      return [`C1: ${before.bookingId} and ${slot.bookingId} hold overlapping slots of ${slot.resourceId}.`];
    });
  });
}

export function slotsOfAcknowledged(history: History): HeldSlot[] {
  const byId = new Map(history.acknowledged().map((booking) => [booking.bookingId, booking]));
  return [...byId.values()].flatMap(({ bookingId, call: { payload } }) =>
    payload.slot === undefined ? [] : [{ bookingId, ...windowOf(payload.slot) }],
  );
}

export function slotsOfRows(rows: readonly KeptBooking[]): HeldSlot[] {
  return rows.flatMap(({ resourceId, ...row }) => (resourceId === null ? [] : [{ ...row, resourceId }]));
}

/** C2: what was acknowledged is kept as it was returned, and nothing is kept that no client requested. */
export function checkDurability(history: History, rows: readonly KeptBooking[]): Violations {
  const kept = new Map(rows.map((row) => [row.bookingId, row]));
  const lost = history.acknowledged().flatMap(({ bookingId, response }) => {
    const row = kept.get(bookingId);
    if (row === undefined) return [`C2: ${bookingId} was acknowledged and is lost.`];
    return row.json === response.text
      ? []
      : [`C2: ${bookingId} was acknowledged as ${response.text}, kept as ${row.json}.`];
  });
  const callsOfRequests = groupBy(history.creates, ({ payload }) => payload.request);
  const rowsOfRequests = groupBy(rows, ({ json }) => (JSON.parse(json) as { request: string }).request);
  const orphans = [...rowsOfRequests].flatMap(([request, rowsOfRequest]) => {
    const calls = callsOfRequests.get(request) ?? [];
    if (!calls.some(mayHaveBooked))
      return [`C2: ${rowsOfRequest[0]!.json} is kept, and no request for it is open or was acknowledged.`];
    return rowsOfRequest.length === 1 ? [] : [`C2: request ${request} is kept ${rowsOfRequest.length} times.`];
  });
  // Once per booking, however often it was acknowledged.
  return [...new Set(lost), ...orphans];
}

function windowOf({ resource_id, start, end }: SlotDto): Omit<HeldSlot, 'bookingId'> {
  return { resourceId: resource_id, start: Date.parse(start), end: Date.parse(end) };
}
