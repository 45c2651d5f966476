import type { SlotDto } from '@booking-service/contracts';
import { groupBy, overlap } from './grouping.js';
import { type CreateCall, type History, isAcknowledged, mayHaveBooked } from './history.js';
import type { KeptBooking, Violations } from './history.js';

/** C4: a create that is rejected with `slot-taken` names an overlapping slot that was requested before. */
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

/** C5: a key has at most one booking, one response and one payload. */
export function checkIdempotency(history: History, rows: readonly KeptBooking[]): Violations {
  const rowsOfKeys = groupBy(rows, ({ key }) => key);
  return [...groupBy(history.creates, ({ key }) => key)].flatMap(([key, calls]) => {
    if (key === undefined) return [];
    const kept = rowsOfKeys.get(key)?.length ?? 0;
    const faults = kept > 1 ? [`has ${kept} bookings in the database`] : [];
    return [...faults, ...faultsOf(calls)].map((fault) => `C5: key ${key} ${fault}.`);
  });
}

function faultsOf(calls: readonly CreateCall[]): string[] {
  const acknowledged = calls.filter(isAcknowledged).toSorted((a, b) => a.completed - b.completed);
  const first = acknowledged[0];
  const bodies = new Set(acknowledged.map(({ response }) => response.text));
  const fresh = acknowledged.filter(({ outcome }) => outcome === 'created').length;
  const faults: string[] = [];
  if (bodies.size > 1) faults.push(`has several responses: ${[...bodies].join(' and ')}`);
  if (fresh > 1) faults.push(`has ${fresh} responses that are not replays`);
  for (const call of calls) {
    const { payload, outcome, invoked, completed, response } = call;
    const isLate = first !== undefined && first.completed <= invoked;
    const isOther = first !== undefined && payload.request !== first.payload.request;
    if (isOther && isAcknowledged(call)) faults.push('was accepted with another payload too');
    if (isLate && isOther && !['key-reused', 'unavailable', 'unknown'].includes(outcome))
      faults.push(`with another payload has the response ${response!.status}, not 422`);
    if (isLate && !isOther && !mayHaveBooked(call))
      faults.push(`has the response ${response!.status} after it was acknowledged`);
    const isReused = calls.some(
      (rival) => mayHaveBooked(rival) && rival.payload.request !== payload.request && rival.invoked < completed,
    );
    if (outcome === 'key-reused' && !isReused) faults.push('was rejected as reused, but was not');
  }
  return faults;
}
