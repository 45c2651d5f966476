/** Books a time, and a buffer before and after it: `node src/buffer.js RESOURCE START END MINUTES`. */
import { bookings } from './bookings.js';

const [resource_id = '', start = '', end = '', minutes = '15'] = process.argv.slice(2);

const buffer = Number(minutes) * 60_000;
const slot = {
  resource_id,
  start: new Date(Date.parse(start) - buffer),
  end: new Date(Date.parse(end) + buffer),
};
// `appointment` is the time to tell people: the slot is longer.
const { booking_id, ...booking } = await bookings.create({ slot, appointment: { start, end } });
console.log(booking_id, booking.slot?.start, booking.appointment);
