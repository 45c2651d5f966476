const { BookingsClient, SlotTakenError } = require('@booking-service/client');
const { createBookingSchema, validate } = require('@booking-service/contracts');
const { parseInstant } = require('@booking-service/contracts/instant');
const { problemTypes } = require('@booking-service/contracts/problem-types');

async function main([baseUrl, room]) {
  const slot = { resource_id: room, start: '2026-12-01T09:00:00Z', end: '2026-12-01T10:00:00Z' };
  const bookings = new BookingsClient({ baseUrl });
  const booking = await bookings.create({ slot, guest: 'Ada' });
  const rejection = await bookings.create({ slot, guest: 'Grace' }).catch((error) => error);
  if (!(rejection instanceof SlotTakenError)) throw new Error('The slot was given twice');
  const guests = [];
  for await (const { guest } of bookings.listAll({ resource_id: room })) guests.push(guest);
  const done = {
    isSame: (await bookings.get(booking.booking_id)).created_at === booking.created_at,
    rejected: { type: rejection.problem.type, status: rejection.status, promised: problemTypes['slot-taken'].status },
    heldFrom: parseInstant(rejection.conflictingSlot.start),
    guests,
    faults: validate(createBookingSchema, { Slot: {} }).faults,
  };
  process.stdout.write(JSON.stringify(done));
}

void main(process.argv.slice(2));
