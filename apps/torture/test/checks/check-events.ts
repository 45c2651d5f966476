import type { Received } from 'testing';
import { groupBy } from './grouping.js';
import { type History, type KeptBooking } from './history.js';
import type { Violations } from './violations.js';

/** The events that an endpoint acknowledged, in order. */
export type Delivered = readonly Received[];

/** A booking that was deleted, as it was, and when its deletion was acknowledged, on the clock of the calls. */
export interface Deletion {
  readonly row: KeptBooking;
  readonly completed: number;
}

/**
 * E1: an event for every booking and for every deletion is delivered, and no other, with the bytes of the booking, or nothing
 * of it but the slot where it was deleted. E2: sequences are 1, 2, 3, ..., one for each event, the same at every endpoint, and
 * each names the one before. E3: within a resource they are delivered in order; what was acknowledged before a booking was
 * requested has a lower one than the booking.
 */
export function checkEvents(
  endpoints: readonly Delivered[],
  rows: readonly KeptBooking[],
  history: History,
  deletions: readonly Deletion[] = [],
): Violations {
  const kept = new Map(rows.map((row) => [row.bookingId, row]));
  const gone = new Map(deletions.map(({ row }) => [row.bookingId, row]));
  /** The id of the event of each sequence. */
  const ids = new Map<number, string>();
  const found = endpoints.flatMap((delivered, endpoint) => [
    ...checkDelivered(delivered, kept, gone, endpoint),
    ...checkSequences(delivered, ids, endpoint),
    ...checkOrder(delivered, endpoint),
  ]);
  const count = kept.size + 2 * gone.size;
  const gaps = Array.from({ length: count }, (_, index) =>
    ids.has(index + 1) ? [] : [`E2: no event has the sequence ${index + 1}.`],
  ).flat();
  return [...found, ...gaps, ...checkCausality(ids, history, deletions)];
}

/** Deliveries of an event that its endpoint had acknowledged before. */
export function duplicatesOf(endpoints: readonly Delivered[]): number {
  return endpoints.reduce(
    (sum, delivered) => sum + delivered.length - new Set(delivered.map(({ event }) => event.id)).size,
    0,
  );
}

type Rows = ReadonlyMap<string, KeptBooking>;

function checkDelivered(delivered: Delivered, kept: Rows, gone: Rows, endpoint: number): Violations {
  const violations: Violations = [];
  const ids = new Set<string>();
  for (const { event, body } of delivered) {
    ids.add(event.id);
    const row = gone.get(event.subject) ?? kept.get(event.subject);
    if (row === undefined) violations.push(`E1: ${event.subject} was delivered to ${endpoint}, and is no booking.`);
    else if (!isOf(row, gone.has(event.subject), event, body))
      violations.push(`E1: ${event.subject} was delivered as ${body}.`);
  }
  const wanted = [
    ...[...kept.keys(), ...gone.keys()].map((id) => `created-${id}`),
    ...[...gone.keys()].map((id) => `deleted-${id}`),
  ];
  for (const id of wanted) if (!ids.has(id)) violations.push(`E1: ${id} was not delivered to ${endpoint}.`);
  return violations;
}

/** Whether an event is one of a booking. A deletion may take the place of the event of the creation. */
function isOf(row: KeptBooking, isGone: boolean, { id, type, data }: Received['event'], body: string): boolean {
  const isOfCreation = id === `created-${row.bookingId}`;
  if (type === 'bookings.booking.created') return isOfCreation && body.endsWith(`,"data":${row.json}}`);
  const { slot } = JSON.parse(row.json) as { slot?: object };
  const deletion = JSON.stringify({ booking_id: row.bookingId, slot, deleted_at: data.deleted_at });
  const hasId = isOfCreation || id === `deleted-${row.bookingId}`;
  return isGone && type === 'bookings.booking.deleted' && hasId && body.endsWith(`,"data":${deletion}}`);
}

function checkSequences(delivered: Delivered, ids: Map<number, string>, endpoint: number): Violations {
  return delivered.flatMap(({ event: { sequence, previous, id } }) => {
    const number = Number(sequence);
    const other = ids.get(number);
    ids.set(number, id);
    if (other !== undefined && other !== id) return [`E2: ${number} is ${other} and, at ${endpoint}, ${id}.`];
    return Number(previous) === number - 1 ? [] : [`E2: ${number} follows ${previous} at ${endpoint}.`];
  });
}

/** Of the first delivery of each event: duplicates follow later. */
function checkOrder(delivered: Delivered, endpoint: number): Violations {
  const seen = new Set<string>();
  const first = delivered.filter(({ event: { id } }) => !seen.has(id) && seen.add(id));
  return [...groupBy(first, ({ event }) => event.data.slot?.resource_id ?? event.subject)].flatMap(
    ([resource, events]) => {
      const sequences = events.map(({ event }) => event.sequence);
      const late = sequences.find((sequence, index) => index > 0 && sequence < sequences[index - 1]!);
      return late === undefined ? [] : [`E3: ${late} of ${resource} was delivered late to ${endpoint}.`];
    },
  );
}

function checkCausality(
  ids: ReadonlyMap<number, string>,
  history: History,
  deletions: readonly Deletion[],
): Violations {
  const sequenceOf = new Map([...ids].map(([sequence, id]) => [id, sequence]));
  const ofDeletions = groupBy(deletions, ({ row }) => row.resourceId ?? '');
  const acknowledged = history.acknowledged().filter(({ call }) => call.outcome === 'created');
  const ofResource = groupBy(acknowledged, ({ call }) => call.payload.slot?.resource_id ?? '');
  ofResource.delete('');
  return [...ofResource].flatMap(([resource, bookings]) => {
    // By the end of the create: only those that ended before another was requested have to have lower sequences.
    const byEnd = bookings.toSorted((one, other) => one.call.completed - other.call.completed);
    const violations: Violations = [];
    for (const { bookingId, call } of bookings) {
      let highest = 0;
      for (const before of byEnd) {
        if (before.call.completed >= call.invoked) break;
        highest = Math.max(highest, sequenceOf.get(`created-${before.bookingId}`) ?? 0);
      }
      for (const { row, completed } of ofDeletions.get(resource) ?? []) {
        if (completed < call.invoked) highest = Math.max(highest, sequenceOf.get(`deleted-${row.bookingId}`) ?? 0);
      }
      const sequence = sequenceOf.get(`created-${bookingId}`);
      if (sequence !== undefined && sequence < highest) {
        violations.push(`E3: ${sequence} of ${resource} was requested after ${highest} was acknowledged.`);
      }
    }
    return violations;
  });
}
