/** Prints the free times of a resource: `node src/free.js RESOURCE FROM TO [MINUTES]`. */
import { BookingsClient } from '@booking-service/client';

const [resource = 'room-7', from = '', to = '', minutes = '0'] = process.argv.slice(2);
const bookings = new BookingsClient({ baseUrl: process.env.BOOKINGS_URL ?? 'http://localhost:3000' });

for await (const { start, end } of bookings.freeSlots(resource, { from, to }, { atLeast: Number(minutes) * 60_000 })) {
  console.log(`${start} to ${end}`);
}
