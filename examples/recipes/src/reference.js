/** Finds or creates the booking of your reference: `node src/reference.js REFERENCE RESOURCE START END`. */
import { BookingsClient, IdempotencyKeyReusedError } from '@booking-service/client';

const [reference = '', resource_id = '', start = '', end = ''] = process.argv.slice(2);
const bookings = new BookingsClient({ baseUrl: process.env.BOOKINGS_URL ?? 'http://localhost:3000' });

try {
  const payload = { slot: { resource_id, start, end }, reference };
  const { data, replayed } = await bookings.create(payload, { idempotencyKey: reference }).withResponse();
  console.log(`${replayed ? 'found' : 'made'} ${data.booking_id}`);
} catch (error) {
  if (!(error instanceof IdempotencyKeyReusedError)) throw error;
  console.log(`${reference} has a booking with another payload`);
}
