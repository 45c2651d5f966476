import { checkResponses } from './check-responses.js';
import { checkDurability, checkSlotsNeverOverlap, slotsOfAcknowledged, slotsOfRows } from './check-bookings.js';
import { checkIdempotency, checkRejections } from './check-creates.js';
import { checkRecency, checkWalks } from './check-reads.js';
import type { History, KeptBooking, Violations } from './history.js';

/** All checks, over every call and the rows that the database holds now. */
export function checkAll(history: History, rows: readonly KeptBooking[]): Violations {
  return [
    ...checkSlotsNeverOverlap(slotsOfAcknowledged(history)),
    ...checkSlotsNeverOverlap(slotsOfRows(rows)),
    ...checkDurability(history, rows),
    ...checkRecency(history),
    ...checkRejections(history),
    ...checkIdempotency(history, rows),
    ...checkWalks(history),
    ...checkResponses(history),
  ];
}
