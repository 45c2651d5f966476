import type { Received } from 'testing';
import { groupBy } from './grouping.js';
import { type History, type KeptBooking } from './history.js';
import type { Violations } from './violations.js';

/** What an endpoint acknowledged, in the order in which it did. */
export type Told = readonly Received[];

/**
 * E1: every booking is told, and nothing else, with its own bytes. E2: numbers are 1, 2, 3, ..., one for each booking, and
 * the same for every endpoint. E3: within a resource they come in their order, and of two bookings, one that was
 * acknowledged before the other was begun has the lower one.
 */
export function checkEvents(endpoints: readonly Told[], rows: readonly KeptBooking[], history: History): Violations {
  const kept = new Map(rows.map((row) => [row.bookingId, row]));
  const numbers = new Map<number, string>();
  const found = endpoints.flatMap((told, endpoint) => [
    ...checkTold(told, kept, endpoint),
    ...checkNumbers(told, numbers, endpoint),
    ...checkOrder(told, endpoint),
  ]);
  const gaps = rows.flatMap((_, index) =>
    numbers.has(index + 1) ? [] : [`E2: no event has the number ${index + 1}.`],
  );
  return [...found, ...gaps, ...checkCausality(numbers, history)];
}

/** Events that were told more than once. */
export function duplicatesOf(endpoints: readonly Told[]): number {
  return endpoints.reduce((sum, told) => sum + told.length - new Set(told.map(({ event }) => event.id)).size, 0);
}

function checkTold(told: Told, kept: ReadonlyMap<string, KeptBooking>, endpoint: number): Violations {
  const violations: Violations = [];
  const ids = new Set<string>();
  for (const { event, body } of told) {
    ids.add(event.subject);
    const row = kept.get(event.subject);
    if (row === undefined) violations.push(`E1: ${event.subject} was told to ${endpoint}, and is no booking.`);
    else if (!body.endsWith(`,"data":${row.json}}`)) violations.push(`E1: ${event.subject} was told as ${body}.`);
  }
  for (const id of kept.keys()) if (!ids.has(id)) violations.push(`E1: ${id} was not told to ${endpoint}.`);
  return violations;
}

function checkNumbers(told: Told, numbers: Map<number, string>, endpoint: number): Violations {
  return told.flatMap(({ event: { sequence, subject } }) => {
    const number = Number(sequence);
    const other = numbers.get(number);
    numbers.set(number, subject);
    const isSame = other === undefined || other === subject;
    return isSame ? [] : [`E2: ${number} is ${other} and, at ${endpoint}, ${subject}.`];
  });
}

/** Duplicates apart, which come after the first time. */
function checkOrder(told: Told, endpoint: number): Violations {
  const seen = new Set<string>();
  const first = told.filter(({ event: { id } }) => !seen.has(id) && seen.add(id));
  return [...groupBy(first, ({ event }) => event.data.slot?.resource_id ?? event.id)].flatMap(([resource, events]) => {
    const sequences = events.map(({ event }) => event.sequence);
    const late = sequences.find((sequence, index) => index > 0 && sequence < sequences[index - 1]!);
    return late === undefined ? [] : [`E3: ${late} of ${resource} came late to ${endpoint}.`];
  });
}

function checkCausality(numbers: ReadonlyMap<number, string>, history: History): Violations {
  const numberOf = new Map([...numbers].map(([number, id]) => [id, number]));
  const acknowledged = history.acknowledged().filter(({ call }) => call.outcome === 'created');
  const ofResource = groupBy(acknowledged, ({ call }) => call.payload.slot?.resource_id ?? '');
  ofResource.delete('');
  return [...ofResource].flatMap(([resource, bookings]) => {
    // The first that completed, and no later one than this, tells whether any before it has a higher number.
    const byEnd = bookings.toSorted((one, other) => one.call.completed - other.call.completed);
    const violations: Violations = [];
    for (const { bookingId, call } of bookings) {
      let highest = 0;
      for (const before of byEnd) {
        if (before.call.completed >= call.invoked) break;
        highest = Math.max(highest, numberOf.get(before.bookingId) ?? 0);
      }
      const number = numberOf.get(bookingId);
      if (number !== undefined && number < highest) {
        violations.push(`E3: ${number} of ${resource} was begun after ${highest} was acknowledged.`);
      }
    }
    return violations;
  });
}
