/** Books several resources in each of several weeks: `node src/all-or-none.js ORDER START END WEEKS RESOURCE…`. */
import { randomUUID } from 'node:crypto';
import { IdempotencyKeyReusedError, SlotTakenError } from '@booking-service/client';
import { bookings, keyOf } from './bookings.js';
import { cancel } from './cancel.js';

const [order = '', start = '', end = '', weeks = '1', ...resources] = process.argv.slice(2);

/**
 * The instant some weeks later, in UTC. In a zone with daylight saving time, add days on its clock instead.
 *
 * @param {string} instant
 * @param {number} week
 */
const inWeek = (instant, week) => new Date(Date.parse(instant) + week * 7 * 86_400_000).toISOString();

// Every run books in the same order, so of two that want the same slots, one gets all of them.
const slots = resources.toSorted().flatMap((resource_id) =>
  Array.from({ length: Number(weeks) }, (_, week) => {
    return { resource_id, start: inWeek(start, week), end: inWeek(end, week) };
  }),
);

/** Part of the payload: what an earlier run made with the same key is then a 422, and is not cancelled with this run's. */
const run = randomUUID();
/** @type {string[]} */
const made = [];

/** @param {typeof slots[number]} slot @returns the id of its booking */
async function book(slot) {
  try {
    const { booking_id } = await bookings.create({ slot, order, run }, { idempotencyKey: keyOf(order, slot) });
    made.push(booking_id);
    return booking_id;
  } catch (error) {
    if (!(error instanceof IdempotencyKeyReusedError)) throw error;
    return idOfEarlier(slot);
  }
}

/** The id of the booking that an earlier run made for a slot. @param {typeof slots[number]} slot */
async function idOfEarlier({ resource_id, start: from, end: to }) {
  for await (const { booking_id, order: its } of bookings.listAll({ resource_id, from, to })) {
    if (its === order) return booking_id;
  }
  throw new Error(`Another run of ${order} gave back what it booked: run this again`);
}

/** @type {string[]} */
const ids = [];
let current = slots[0];
try {
  for (const slot of slots) {
    current = slot;
    ids.push(await book(slot));
  }
  console.log(['booked', ...ids].join(' '));
} catch (error) {
  for (const id of made) await cancel(id);
  if (!(error instanceof SlotTakenError)) throw error;
  console.log(`${current?.resource_id} at ${current?.start} is taken: gave back ${made.length}`);
}
