import type { Received } from 'testing';
import { groupBy } from './grouping.js';
import { type History, type KeptBooking } from './history.js';
import type { Violations } from './violations.js';

/** The events that an endpoint acknowledged, in order. */
export type Delivered = readonly Received[];

/**
 * E1: an event for every booking is delivered, and no other, with the bytes of the booking. E2: sequences are 1, 2, 3, ...,
 * one for each booking, and the same at every endpoint. E3: within a resource they are delivered in order, and a booking
 * that was acknowledged before another was requested has the lower one.
 */
export function checkEvents(
  endpoints: readonly Delivered[],
  rows: readonly KeptBooking[],
  history: History,
): Violations {
  const kept = new Map(rows.map((row) => [row.bookingId, row]));
  /** The booking of each sequence. */
  const subjects = new Map<number, string>();
  const found = endpoints.flatMap((delivered, endpoint) => [
    ...checkDelivered(delivered, kept, endpoint),
    ...checkSequences(delivered, subjects, endpoint),
    ...checkOrder(delivered, endpoint),
  ]);
  const gaps = rows.flatMap((_, index) =>
    subjects.has(index + 1) ? [] : [`E2: no event has the sequence ${index + 1}.`],
  );
  return [...found, ...gaps, ...checkCausality(subjects, history)];
}

/** Deliveries of an event that its endpoint had acknowledged before. */
export function duplicatesOf(endpoints: readonly Delivered[]): number {
  return endpoints.reduce(
    (sum, delivered) => sum + delivered.length - new Set(delivered.map(({ event }) => event.id)).size,
    0,
  );
}

function checkDelivered(delivered: Delivered, kept: ReadonlyMap<string, KeptBooking>, endpoint: number): Violations {
  const violations: Violations = [];
  const ids = new Set<string>();
  for (const { event, body } of delivered) {
    ids.add(event.subject);
    const row = kept.get(event.subject);
    if (row === undefined) violations.push(`E1: ${event.subject} was delivered to ${endpoint}, and is no booking.`);
    else if (!body.endsWith(`,"data":${row.json}}`)) violations.push(`E1: ${event.subject} was delivered as ${body}.`);
  }
  for (const id of kept.keys()) if (!ids.has(id)) violations.push(`E1: ${id} was not delivered to ${endpoint}.`);
  return violations;
}

function checkSequences(delivered: Delivered, subjects: Map<number, string>, endpoint: number): Violations {
  return delivered.flatMap(({ event: { sequence, subject } }) => {
    const number = Number(sequence);
    const other = subjects.get(number);
    subjects.set(number, subject);
    const isSame = other === undefined || other === subject;
    return isSame ? [] : [`E2: ${number} is ${other} and, at ${endpoint}, ${subject}.`];
  });
}

/** Of the first delivery of each event: duplicates follow later. */
function checkOrder(delivered: Delivered, endpoint: number): Violations {
  const seen = new Set<string>();
  const first = delivered.filter(({ event: { id } }) => !seen.has(id) && seen.add(id));
  return [...groupBy(first, ({ event }) => event.data.slot?.resource_id ?? event.id)].flatMap(([resource, events]) => {
    const sequences = events.map(({ event }) => event.sequence);
    const late = sequences.find((sequence, index) => index > 0 && sequence < sequences[index - 1]!);
    return late === undefined ? [] : [`E3: ${late} of ${resource} was delivered late to ${endpoint}.`];
  });
}

function checkCausality(subjects: ReadonlyMap<number, string>, history: History): Violations {
  const sequenceOf = new Map([...subjects].map(([sequence, id]) => [id, sequence]));
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
        highest = Math.max(highest, sequenceOf.get(before.bookingId) ?? 0);
      }
      const sequence = sequenceOf.get(bookingId);
      if (sequence !== undefined && sequence < highest) {
        violations.push(`E3: ${sequence} of ${resource} was requested after ${highest} was acknowledged.`);
      }
    }
    return violations;
  });
}
