import { BookingsClient, SlotTakenError } from '@booking-service/client';
import { createBookingSchema, validate } from '@booking-service/contracts';
import { parseInstant } from '@booking-service/contracts/instant';
import { problemTypes } from '@booking-service/contracts/problem-types';

const [baseUrl, room] = process.argv.slice(2);
const slot = { resource_id: room, start: '2026-12-01T09:00:00Z', end: '2026-12-01T10:00:00Z' };
const bookings = new BookingsClient({ baseUrl });
const booking = await bookings.create({ slot, guest: 'Ada' });
const rejection = await bookings.create({ slot, guest: 'Grace' }).catch((error) => error);
if (!(rejection instanceof SlotTakenError)) throw new Error('The slot was given twice');
const guests = [];
for await (const { guest } of bookings.listAll({ resource_id: room })) guests.push(guest);

process.stdout.write(
  JSON.stringify({
    isSame: (await bookings.get(booking.booking_id)).created_at === booking.created_at,
    rejected: { type: rejection.problem.type, status: rejection.status, promised: problemTypes['slot-taken'].status },
    heldFrom: parseInstant(rejection.conflictingSlot.start),
    guests,
    faults: validate(createBookingSchema, { Slot: {} }).faults,
  }),
);
