import type { SlotDto } from '@booking-service/contracts';
import { groupBy, overlap } from './grouping.js';
import { type CreateCall, type History, isAcknowledged, mayHaveBooked } from './history.js';
import type { KeptBooking, Violations } from './history.js';

/** C4: a create is rejected with `slot-taken` only if the slot that the response names was requested before by another. */
export function checkRejections(history: History): Violations {
  const rivals = groupBy(history.creates.filter(mayHaveBooked), ({ payload }) => payload.slot?.resource_id);
  return history.creates.flatMap(({ payload, outcome, completed, response }) => {
    if (outcome !== 'slot-taken') return [];
    const { resource_id, start, end } = payload.slot!;
    const { conflicting_slot: named } = JSON.parse(response!.text) as { conflicting_slot?: SlotDto };
    const isReal = (rivals.get(resource_id) ?? []).some(
      ({ invoked, payload: { slot } }) =>
        invoked < completed &&
        overlap(slot!, { from: start, to: end }) &&
        slot!.start === named?.start &&
        slot!.end === named.end,
    );
    if (isReal) return [];
    return [`C4: ${payload.request} was rejected for a slot that had not been requested before: ${response!.text}.`];
  });
}

/** C5: one key has at most one booking, one response and one payload. */
export function checkIdempotency(history: History, rows: readonly KeptBooking[]): Violations {
  const calls = groupBy(history.creates, ({ key }) => key);
  const rowsOfKeys = groupBy(rows, ({ key }) => key ?? undefined);
  for (const groups of [calls, rowsOfKeys]) groups.delete(undefined);
  return [
    ...[...calls].flatMap(([key, ofKey]) => checkKey(key!, ofKey)),
    ...[...rowsOfKeys].flatMap(([key, { length }]) =>
      length === 1 ? [] : [`C5: key ${key} has ${length} bookings in the database.`],
    ),
  ];
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
    if (isLate && isOther && !['key-reused', 'unavailable', 'unknown'].includes(outcome))
      violations.push(`C5: key ${key} with another payload has the response ${response!.status}, not 422.`);
    if (isLate && !isOther && !mayHaveBooked(call))
      violations.push(`C5: key ${key} has the response ${response!.status} after it was acknowledged.`);
    const isReused = calls.some(
      (rival) => mayHaveBooked(rival) && rival.payload.request !== payload.request && rival.invoked < completed,
    );
    if (outcome === 'key-reused' && !isReused)
      violations.push(`C5: key ${key} was rejected as reused, and it was not.`);
  }
  return violations;
}
