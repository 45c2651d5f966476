/** Moves a booking to another time, or extends it at one end: `node src/reschedule.js BOOKING_ID START END`. */
import { SlotTakenError } from '@booking-service/client';
import { bookings, keyOf } from './bookings.js';
import { cancel } from './cancel.js';

const [id = '', start = '', end = ''] = process.argv.slice(2);

const { booking_id: _, created_at: __, slot: old, ...details } = await bookings.get(id);
if (old === undefined) throw new Error('The booking has no slot');

/** Milliseconds. @param {string} from @param {string} to */
const between = (from, to) => Date.parse(to) - Date.parse(from);
const endsLater = between(old.start, start) === 0 && between(old.end, end) > 0;
const startsEarlier = between(old.end, end) === 0 && between(start, old.start) > 0;

const slot = { ...old, start, end };
// Slots that touch do not overlap: an extension books only what is added.
if (endsLater) slot.start = old.end;
if (startsEarlier) slot.end = old.start;
const isExtension = endsLater || startsEarlier;

try {
  const payload = { ...details, slot, ...(isExtension && { extends: id }) };
  // After a crash, a second run finds the new booking, and deletes the old one.
  const { booking_id } = await bookings.create(payload, { idempotencyKey: keyOf(id, start, end) });
  if (!isExtension) await cancel(id);
  console.log(isExtension ? `added ${booking_id}` : booking_id);
} catch (error) {
  if (!(error instanceof SlotTakenError)) throw error;
  const { conflictingSlot: held } = error;
  const isItself = held?.start === old.start && held.end === old.end;
  console.log(isItself ? `overlaps ${id} itself: cancel it first` : `taken, and ${id} is as it was`);
}
