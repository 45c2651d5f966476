/** Holds a slot until it is paid for: `node src/hold.js RESOURCE START END MINUTES`. */
import { bookings } from './bookings.js';

const [resource_id = '', start = '', end = '', minutes = '15'] = process.argv.slice(2);

const hold_until = new Date(Date.now() + Number(minutes) * 60_000);
const { booking_id } = await bookings.create({ slot: { resource_id, start, end }, hold_until });
console.log(booking_id);
