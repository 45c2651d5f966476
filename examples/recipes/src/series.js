/** Books a slot in each of several weeks, all or none: `node src/series.js ORDER RESOURCE START END WEEKS`. */
import { BookingsClient, SlotTakenError } from '@booking-service/client';
import { cancel } from './cancel.js';

const [order = '', resource_id = '', start = '', end = '', weeks = '4'] = process.argv.slice(2);
const bookings = new BookingsClient({ baseUrl: process.env.BOOKINGS_URL ?? 'http://localhost:3000' });

/** @param {string} instant @param {number} week in UTC; in a zone with daylight saving time, add its days instead */
const inWeek = (instant, week) => new Date(Date.parse(instant) + week * 7 * 86_400_000);

/** @type {string[]} */
const held = [];
try {
  for (let week = 0; week < Number(weeks); week++) {
    const slot = { resource_id, start: inWeek(start, week), end: inWeek(end, week) };
    const { booking_id } = await bookings.create({ slot, order }, { idempotencyKey: `${order}/${week}` });
    held.push(booking_id);
  }
  console.log(`booked ${held.join(' ')}`);
} catch (error) {
  if (!(error instanceof SlotTakenError)) throw error;
  console.log(`week ${held.length + 1} is taken; gives back ${held.join(' ')}`);
  for (const id of held) await cancel(id);
}
