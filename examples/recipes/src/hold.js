/** Holds a slot for an order until it is paid for: `node src/hold.js ORDER RESOURCE START END MINUTES`. */
import { IdempotencyKeyReusedError, SlotTakenError } from '@booking-service/client';
import { bookings, keyOf } from './bookings.js';

const [order = '', resource_id = '', start = '', end = '', minutes = '15'] = process.argv.slice(2);

const hold_until = new Date(Date.now() + Number(minutes) * 60_000);
try {
  const payload = { slot: { resource_id, start, end }, order, hold_until };
  const { booking_id } = await bookings.create(payload, { idempotencyKey: keyOf('hold', order) });
  console.log(booking_id);
} catch (error) {
  if (error instanceof SlotTakenError) console.log('taken');
  else if (error instanceof IdempotencyKeyReusedError) console.log(`${order} holds something already`);
  else throw error;
}
