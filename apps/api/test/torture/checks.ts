import type { SlotDto } from '@booking-service/contracts';
import {
  type Acknowledged,
  type CreateCall,
  type History,
  isAcknowledged,
  type KeptBooking,
  mayHaveBooked,
} from './history.js';

/** Sentences, each about one broken promise; empty when all were kept. */
export type Violations = string[];

interface HeldSlot {
  readonly bookingId: string;
  readonly resourceId: string;
  readonly start: number;
  readonly end: number;
}

/** C1: two bookings never hold overlapping slots of one resource. Asked of the 201s and of the rows alike. */
export function checkSlotsNeverOverlap(held: readonly HeldSlot[]): Violations {
  return [...groupBy(held, ({ resourceId }) => resourceId).values()].flatMap((slots) => {
    const sorted = slots.toSorted((a, b) => a.start - b.start);
    // Where any two overlap, two that stand side by side do.
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

/** C2: everything acknowledged is kept as it was answered, and nothing is kept that nobody asked for. */
export function checkDurability(history: History, rows: readonly KeptBooking[]): Violations {
  const kept = new Map(rows.map((row) => [row.bookingId, row]));
  const lost = history.acknowledged().flatMap(({ bookingId, answer }) => {
    const row = kept.get(bookingId);
    if (row === undefined) return [`C2: ${bookingId} was acknowledged and is lost.`];
    return row.json === answer.body
      ? []
      : [`C2: ${bookingId} was acknowledged as ${answer.body}, kept as ${row.json}.`];
  });
  const asked = groupBy(history.creates, ({ payload }) => payload.request);
  const rowsOfRequests = groupBy(rows, ({ json }) => (JSON.parse(json) as { request: string }).request);
  const orphans = [...rowsOfRequests].flatMap(([request, rowsOfRequest]) => {
    const calls = asked.get(request) ?? [];
    if (!calls.some(mayHaveBooked))
      return [`C2: ${rowsOfRequest[0]!.json} is kept, and no request that is open or was acknowledged asked for it.`];
    return rowsOfRequest.length === 1 ? [] : [`C2: request ${request} is kept ${rowsOfRequest.length} times.`];
  });
  return [...lost, ...orphans];
}

/** C3: a read that was invoked after an acknowledgement sees the booking, whichever replica it asks. */
export function checkRecency(history: History): Violations {
  const acknowledged = firstAcknowledgements(history);
  const gets = history.gets.flatMap(({ bookingId, invoked, answer, replica }) => {
    const booking = acknowledged.get(bookingId);
    if (answer === undefined || answer.status === 503 || booking === undefined) return [];
    if (booking.call.completed > invoked || answer.body === booking.answer.body) return [];
    return [`C3: GET ${bookingId} at ${replica} answers ${answer.status} ${answer.body} after its acknowledgement.`];
  });
  const byResource = groupBy([...acknowledged.values()], ({ call }) => call.payload.slot?.resource_id);
  const lists = history.lists.flatMap(({ resourceId, window, invoked, answer, replica }) => {
    if (answer?.status !== 200) return [];
    const { bookings, next_cursor } = JSON.parse(answer.body) as {
      bookings: { booking_id: string }[];
      next_cursor: unknown;
    };
    if (next_cursor !== null) return [`C3: the list of ${resourceId} does not fit a page: the test is wrong.`];
    const shown = new Set(bookings.map(({ booking_id }) => booking_id));
    const due = (byResource.get(resourceId) ?? []).filter(
      ({ call }) => call.completed <= invoked && (window === undefined || overlap(call.payload.slot!, { ...window })),
    );
    return due.flatMap(({ bookingId }) =>
      shown.has(bookingId)
        ? []
        : [`C3: the list of ${resourceId} at ${replica} lacks ${bookingId}, acknowledged before.`],
    );
  });
  return [...gets, ...lists];
}

/** C4: who is told that a slot is taken was beaten by a call that was invoked before the refusal, and for the slot it names. */
export function checkRefusals(history: History): Violations {
  const rivals = groupBy(history.creates.filter(mayHaveBooked), ({ payload }) => payload.slot?.resource_id);
  return history.creates.flatMap((call) => {
    const { payload, outcome, completed, answer } = call;
    if (outcome !== 'slot-taken') return [];
    const { slot, request } = payload;
    const { conflicting_slot: named } = JSON.parse(answer!.body) as { conflicting_slot?: SlotDto };
    const isReal = (rivals.get(slot?.resource_id) ?? []).some(
      (rival) =>
        rival.invoked < completed &&
        overlap(rival.payload.slot!, { from: slot!.start, to: slot!.end }) &&
        rival.payload.slot!.start === named?.start &&
        rival.payload.slot!.end === named.end,
    );
    return isReal ? [] : [`C4: ${request} was told of a taken slot that nobody asked for before: ${answer!.body}.`];
  });
}

/** C5: one key has at most one booking, one answer and one payload. */
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
  const bodies = new Set(acknowledged.map(({ answer }) => answer!.body));
  if (bodies.size > 1) violations.push(`C5: key ${key} has several answers: ${[...bodies].join(' and ')}.`);
  const fresh = acknowledged.filter(({ outcome }) => outcome === 'created').length;
  if (fresh > 1) violations.push(`C5: key ${key} was answered as new ${fresh} times.`);
  for (const call of calls) {
    const { payload, outcome, invoked, completed, answer } = call;
    const isLate = first !== undefined && first.completed <= invoked;
    const isOther = first !== undefined && payload.request !== first.payload.request;
    if (isOther && isAcknowledged(call)) violations.push(`C5: key ${key} was taken for another payload too.`);
    if (isLate && isOther && !['key-reused', 'unavailable', 'unknown'].includes(outcome)) {
      violations.push(`C5: key ${key} with another payload is answered ${answer!.status}, not 422.`);
    }
    if (isLate && !isOther && !mayHaveBooked(call)) {
      violations.push(`C5: key ${key} is answered ${answer!.status} after it was acknowledged.`);
    }
    const isReused = calls.some(
      (rival) => mayHaveBooked(rival) && rival.payload.request !== payload.request && rival.invoked < completed,
    );
    if (outcome === 'key-reused' && !isReused) violations.push(`C5: key ${key} is called reused, and it was not.`);
  }
  return violations;
}

/** C6: a walk shows every booking that was acknowledged before it began exactly once, and none twice. */
export function checkWalks(history: History): Violations {
  const acknowledged = [...firstAcknowledgements(history).values()];
  return history.walks.flatMap(({ sort, invoked, bookingIds, isWhole }, number) => {
    const shown = new Set(bookingIds);
    const name = `C6: walk ${number} by ${sort}`;
    const twice =
      shown.size < bookingIds.length ? [`${name} shows ${bookingIds.length - shown.size} bookings twice.`] : [];
    if (!isWhole) return twice;
    const missing = acknowledged.filter(({ bookingId, call }) => call.completed <= invoked && !shown.has(bookingId));
    return [...twice, ...missing.map(({ bookingId }) => `${name} lacks ${bookingId}, acknowledged before it began.`)];
  });
}

const STATUSES = {
  create: [201, 409, 422, 503],
  get: [200, 503],
  list: [200, 503],
  walk: [200, 503],
};

/** C7: every answer has a status of the contract, and every error is a problem that says the same. */
export function checkAnswers(history: History): Violations {
  return history.calls.flatMap(({ kind, answer }) => {
    if (answer === undefined) return [];
    const { status, headers, body } = answer;
    const name = `C7: ${kind} is answered ${status} ${body.slice(0, 300)}`;
    if (!STATUSES[kind].includes(status)) return [`${name}.`];
    if (headers['x-request-id'] === undefined) return [`${name} without X-Request-Id.`];
    if (status < 400) return headers['content-type'] === 'application/json' ? [] : [`${name} as another type.`];
    if (headers['content-type'] !== 'application/problem+json') return [`${name}, which is not problem+json.`];
    if ((JSON.parse(body) as { status: number }).status !== status) return [`${name}, which says another status.`];
    return status === 503 && !/^\d+$/.test(headers['retry-after'] ?? '') ? [`${name} without Retry-After.`] : [];
  });
}

/** All of them, over what was asked and what the database holds now. */
export function checkAll(history: History, rows: readonly KeptBooking[]): Violations {
  return [
    ...checkSlotsNeverOverlap(slotsOfAcknowledged(history)),
    ...checkSlotsNeverOverlap(slotsOfRows(rows)),
    ...checkDurability(history, rows),
    ...checkRecency(history),
    ...checkRefusals(history),
    ...checkIdempotency(history, rows),
    ...checkWalks(history),
    ...checkAnswers(history),
  ];
}

/** The first acknowledgement of every booking. */
function firstAcknowledgements(history: History): Map<string, Acknowledged> {
  const sorted = history.acknowledged().toSorted((a, b) => b.call.completed - a.call.completed);
  return new Map(sorted.map((booking) => [booking.bookingId, booking]));
}

function windowOf({ resource_id, start, end }: SlotDto): Omit<HeldSlot, 'bookingId'> {
  return { resourceId: resource_id, start: Date.parse(start), end: Date.parse(end) };
}

/** Of instants as the service writes them, whose order is that of their text. */
function overlap(slot: SlotDto, window: { from: string; to: string }): boolean {
  return slot.start < window.to && window.from < slot.end;
}

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
