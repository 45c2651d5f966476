/** Books the first free resource of several: `node src/first-free.js ORDER START END RESOURCE…`. */
import { createHash } from 'node:crypto';
import { BookingsClient, SlotTakenError } from '@booking-service/client';

const [order = '', start = '', end = '', ...resources] = process.argv.slice(2);
const bookings = new BookingsClient({ baseUrl: process.env.BOOKINGS_URL ?? 'http://localhost:3000' });

/** Spreads the orders over the seats. An order that is sent again begins at the same seat. */
const first = createHash('sha256').update(order).digest().readUInt32BE() % resources.length;

async function bookFirstFree() {
  for (const resource of [...resources.slice(first), ...resources.slice(0, first)]) {
    try {
      const slot = { resource_id: resource, start, end };
      return await bookings.create({ slot, order }, { idempotencyKey: `${order}/${resource}` });
    } catch (error) {
      if (!(error instanceof SlotTakenError)) throw error;
    }
  }
  return undefined;
}

const booking = await bookFirstFree();
console.log(booking === undefined ? 'full' : `${booking.booking_id} ${booking.slot?.resource_id}`);
