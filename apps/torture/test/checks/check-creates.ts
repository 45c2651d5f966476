import type { SlotDto } from '@booking-service/contracts';
import { groupBy, overlap } from './grouping.js';
import {
  type CreateCall,
  type History,
  isAcknowledged,
  type KeptBooking,
  mayHaveBooked,
  type Violations,
} from './history.js';

/** C4: a create is rejected with `slot-taken` only if the slot that the response names was requested before by another. */
export function checkRejections(history: History): Violations {
  const rivals = groupBy(history.creates.filter(mayHaveBooked), ({ payload }) => payload.slot?.resource_id);
  return history.creates.flatMap((call) => {
    const { payload, outcome, completed, response } = call;
    if (outcome !== 'slot-taken') return [];
    const { slot, request } = payload;
    const { conflicting_slot: named } = JSON.parse(response!.text) as { conflicting_slot?: SlotDto };
    const isReal = (rivals.get(slot?.resource_id) ?? []).some(
      (rival) =>
        rival.invoked < completed &&
        overlap(rival.payload.slot!, { from: slot!.start, to: slot!.end }) &&
        rival.payload.slot!.start === named?.start &&
        rival.payload.slot!.end === named.end,
    );
    return isReal
      ? []
      : [`C4: ${request} was rejected for a slot that had not been requested before: ${response!.text}.`];
  });
}

/** C5: one key has at most one booking, one response and one payload. */
export function checkIdempotency(history: History, rows: readonly KeptBooking[]): Violations {
  const keyed = history.creates.filter(({ key }) => key !== undefined);
  const ofCalls = [...groupBy(keyed, ({ key }) => key!)].flatMap(([key, calls]) => checkKey(key, calls));
  const rowsOfKeys = groupBy(
    rows.filter(({ key }) => key !== null),
    ({ key }) => key,
  );
  const ofRows = [...rowsOfKeys].flatMap(([key, rowsOfKey]) =>
    rowsOfKey.length === 1 ? [] : [`C5: key ${key} has ${rowsOfKey.length} bookings in the database.`],
  );
  return [...ofCalls, ...ofRows];
}

function checkKey(key: string, calls: readonly CreateCall[]): Violations {
  const acknowledged = calls.filter(isAcknowledged).toSorted((a, b) => a.completed - b.completed);
  const first = acknowledged[0];
  const violations: Violations = [];
  const bodies = new Set(acknowledged.map(({ response }) => response!.text));
  if (bodies.size > 1) violations.push(`C5: key ${key} has several responses: ${[...bodies].join(' and ')}.`);
  const fresh = acknowledged.filter(({ outcome }) => outcome === 'created').length;
  if (fresh > 1) violations.push(`C5: key ${key} has ${fresh} responses that are not replays.`);
  for (const call of calls) {
    const { payload, outcome, invoked, completed, response } = call;
    const isLate = first !== undefined && first.completed <= invoked;
    const isOther = first !== undefined && payload.request !== first.payload.request;
    if (isOther && isAcknowledged(call)) violations.push(`C5: key ${key} was accepted with another payload too.`);
    if (isLate && isOther && !['key-reused', 'unavailable', 'unknown'].includes(outcome)) {
      violations.push(`C5: key ${key} with another payload has the response ${response!.status}, not 422.`);
    }
    if (isLate && !isOther && !mayHaveBooked(call)) {
      violations.push(`C5: key ${key} has the response ${response!.status} after it was acknowledged.`);
    }
    const isReused = calls.some(
      (rival) => mayHaveBooked(rival) && rival.payload.request !== payload.request && rival.invoked < completed,
    );
    if (outcome === 'key-reused' && !isReused)
      violations.push(`C5: key ${key} was rejected as reused, and it was not.`);
  }
  return violations;
}
