import { BookingsClient, SlotTakenError } from '@booking-service/client';
import { problemTypes } from '@booking-service/contracts/problem-types';

interface Dinner {
  guest: string;
}

async function book(room: string) {
  const slot = { resource_id: room, start: '2026-12-01T09:00:00Z', end: '2026-12-01T10:00:00Z' };
  const bookings = new BookingsClient<Dinner>({ baseUrl: location.origin });
  const booking = await bookings.create({ slot, guest: 'Ada' });
  const rejection: unknown = await bookings.create({ slot, guest: 'Grace' }).catch((error: unknown) => error);
  if (!(rejection instanceof SlotTakenError)) throw new Error('The slot was given twice');
  const guests: string[] = [];
  for await (const { guest } of bookings.listAll({ resource_id: room })) guests.push(guest);
  const { problem, status, conflictingSlot, requestId } = rejection;
  return {
    isSame: (await bookings.get(booking.booking_id, { known: booking })) === booking,
    rejected: { type: problem.type, status, promised: problemTypes['slot-taken'].status },
    heldFrom: conflictingSlot?.start,
    guests,
    hasRequestId: requestId !== undefined,
  };
}

// The page is a program for a test, which calls this.
Object.assign(globalThis, { book });
