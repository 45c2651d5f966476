/** Moves a booking to another time, or extends it at one end: `node src/reschedule.js BOOKING_ID START END`. */
import { BookingNotFoundError, IdempotencyKeyReusedError, SlotTakenError } from '@booking-service/client';
import { bookings, keyOf } from './bookings.js';
import { cancel } from './cancel.js';

const [id = '', start = '', end = ''] = process.argv.slice(2);

/** Milliseconds between two instants. @param {string} from @param {string} to */
const between = (from, to) => Date.parse(to) - Date.parse(from);

async function reschedule() {
  const { booking_id: _, created_at: __, slot: old, ...details } = await bookings.get(id);
  if (old === undefined) throw new Error('The booking has no slot');
  const endsLater = between(old.start, start) === 0 && between(old.end, end) > 0;
  const startsEarlier = between(old.end, end) === 0 && between(start, old.start) > 0;
  try {
    // Slots that touch do not overlap, so an extension books only the added time.
    if (endsLater) return await extend({ ...details, slot: { ...old, start: old.end, end } });
    if (startsEarlier) return await extend({ ...details, slot: { ...old, start, end: old.start } });
    return await move({ ...details, slot: { ...old, start, end } });
  } catch (error) {
    if (!(error instanceof SlotTakenError)) throw error;
    const { conflictingSlot: held } = error;
    const isItself = held?.start === old.start && held.end === old.end;
    return isItself ? `overlaps ${id} itself: cancel it first` : `taken, and ${id} is as it was`;
  }
}

/** @typedef {import('@booking-service/client').CreateBookingDto<Record<string, unknown>>} Payload */

/** @param {Payload} payload */
async function extend(payload) {
  const { booking_id } = await bookings.create({ ...payload, extends: id }, { idempotencyKey: keyOf(id, start, end) });
  return `added ${booking_id}`;
}

/** @param {Payload} payload */
async function move(payload) {
  try {
    // All moves of a booking share a key, so it never becomes two. After a crash, a second run finds the new booking.
    const { booking_id } = await bookings.create(payload, { idempotencyKey: keyOf('moved', id) });
    if (await cancel(id)) return booking_id;
    return `${booking_id}, but ${id} was gone: moved by another run, or cancelled meanwhile`;
  } catch (error) {
    if (!(error instanceof IdempotencyKeyReusedError)) throw error;
    return `another move of ${id} has begun: repeat that one`;
  }
}

try {
  console.log(await reschedule());
} catch (error) {
  if (!(error instanceof BookingNotFoundError)) throw error;
  console.log(`${id} is gone: moved or cancelled before`);
}
