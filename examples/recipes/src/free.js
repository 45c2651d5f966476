/** Prints the free times of a resource: `node src/free.js RESOURCE FROM TO [MINUTES]`. */
import { bookings } from './bookings.js';

const [resource = 'room-7', from = '', to = '', minutes = '0'] = process.argv.slice(2);

for await (const { start, end } of bookings.freeSlots(resource, { from, to }, { atLeast: Number(minutes) * 60_000 })) {
  console.log(`${start} to ${end}`);
}
