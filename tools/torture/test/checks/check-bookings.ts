import { groupBy } from './grouping.js';
import { type History, type KeptBooking, mayHaveBooked, type Violations } from './history.js';

type HeldSlot = Pick<KeptBooking, 'bookingId' | 'resourceId' | 'start' | 'end'>;

/** C1: no two bookings hold overlapping slots of one resource, among the 201s or among the rows. */
export function checkSlotsNeverOverlap(held: readonly HeldSlot[]): Violations {
  return [...groupBy(held, ({ resourceId }) => resourceId)].flatMap(([resourceId, slots]) => {
    if (resourceId === null) return [];
    const sorted = slots.toSorted((a, b) => a.start - b.start);
    // If any two overlap, two neighbours do.
    return sorted.slice(1).flatMap((slot, index) => {
      const before = sorted[index]!;
      if (slot.start >= before.end) return [];
      return [`C1: ${before.bookingId} and ${slot.bookingId} hold overlapping slots of ${resourceId}.`];
    });
  });
}

export function slotsOf(history: History): HeldSlot[] {
  return [...history.bookings.values()].flatMap(({ bookingId, payload: { slot } }) => {
    if (slot === undefined) return [];
    return [{ bookingId, resourceId: slot.resource_id, start: Date.parse(slot.start), end: Date.parse(slot.end) }];
  });
}

/** C2: every acknowledged booking is kept as it was returned, and every kept booking was requested. */
export function checkDurability(history: History, rows: readonly KeptBooking[]): Violations {
  const kept = new Map(rows.map((row) => [row.bookingId, row]));
  const lost = history.acknowledged.flatMap(({ bookingId, response: { text } }) => {
    const row = kept.get(bookingId);
    if (row === undefined) return [`C2: ${bookingId} was acknowledged and is lost.`];
    return row.json === text ? [] : [`C2: ${bookingId} was acknowledged as ${text}, kept as ${row.json}.`];
  });
  const calls = groupBy(history.creates, ({ payload }) => payload.request);
  const rowsOfRequests = groupBy(rows, ({ json }) => (JSON.parse(json) as { request: string }).request);
  const orphans = [...rowsOfRequests].flatMap(([request, [first, ...others]]) => {
    if (!calls.get(request)?.some(mayHaveBooked))
      return [`C2: ${first!.json} is kept, and no request for it is open or was acknowledged.`];
    return others.length === 0 ? [] : [`C2: request ${request} is kept ${others.length + 1} times.`];
  });
  return [...new Set(lost), ...orphans];
}
