/** Moves a booking to another time: `node src/reschedule.js BOOKING_ID START END`. */
import { BookingsClient, SlotTakenError } from '@booking-service/client';
import { cancel } from './cancel.js';

const [id = '', start = '', end = ''] = process.argv.slice(2);
const bookings = new BookingsClient({ baseUrl: process.env.BOOKINGS_URL ?? 'http://localhost:3000' });

const { booking_id: _, created_at: __, slot, ...details } = await bookings.get(id);
if (slot === undefined) throw new Error('The booking has no slot');
try {
  const payload = { ...details, slot: { ...slot, start, end } };
  // After a crash, a second run finds the new booking, and deletes the old one.
  const moved = await bookings.create(payload, { idempotencyKey: `${id}/${start}/${end}` });
  await cancel(id);
  console.log(moved.booking_id);
} catch (error) {
  if (!(error instanceof SlotTakenError)) throw error;
  console.log(`taken, and ${id} is as it was`);
}
