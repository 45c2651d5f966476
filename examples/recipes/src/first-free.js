/** Books the first free resource of several: `node src/first-free.js ORDER START END RESOURCE…`. */
import { createHash } from 'node:crypto';
import { IdempotencyKeyReusedError, SlotTakenError } from '@booking-service/client';
import { bookings, keyOf } from './bookings.js';

const [order = '', start = '', end = '', ...resources] = process.argv.slice(2);

/** The seat to try first: orders are spread over all seats. */
const first = createHash('sha256').update(order).digest().readUInt32BE() % resources.length;

async function bookFirstFree() {
  let outcome = 'full';
  for (const resource_id of [...resources.slice(first), ...resources.slice(0, first)]) {
    try {
      // An order has a single key, so it gets a single seat.
      const payload = { slot: { resource_id, start, end }, order };
      const { booking_id } = await bookings.create(payload, { idempotencyKey: keyOf(order) });
      return `${booking_id} ${resource_id}`;
    } catch (error) {
      if (error instanceof IdempotencyKeyReusedError) outcome = `${order} has another seat or time`;
      else if (!(error instanceof SlotTakenError)) throw error;
    }
  }
  return outcome;
}

console.log(await bookFirstFree());
