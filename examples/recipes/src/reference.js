/** Finds or creates the booking of your reference: `node src/reference.js REFERENCE RESOURCE START END`. */
import { IdempotencyKeyReusedError } from '@booking-service/client';
import { bookings, keyOf } from './bookings.js';

const [reference = '', resource_id = '', start = '', end = ''] = process.argv.slice(2);

try {
  const payload = { slot: { resource_id, start, end }, reference };
  const { data, replayed } = await bookings
    .create(payload, { idempotencyKey: keyOf('reference', reference) })
    .withResponse();
  console.log(`${replayed ? 'found' : 'made'} ${data.booking_id}`);
} catch (error) {
  if (!(error instanceof IdempotencyKeyReusedError)) throw error;
  console.log(`${reference} has a booking with another payload`);
}
