import { BookingsClient, SlotTakenError } from '@booking-service/client';
import { createBookingSchema, validate, type CreateBookingDto } from '@booking-service/contracts';
import { parseInstant } from '@booking-service/contracts/instant';
import { problemTypes, type ProblemType } from '@booking-service/contracts/problem-types';

interface Dinner {
  guest: string;
}

const [baseUrl = '', room = ''] = process.argv.slice(2);
const slot = { resource_id: room, start: '2026-12-01T09:00:00Z', end: '2026-12-01T10:00:00Z' };
const dinner: CreateBookingDto<Dinner> = { slot, guest: 'Ada' };
const bookings = new BookingsClient<Dinner>({ baseUrl });
const booking = await bookings.create(dinner);
const rejection: unknown = await bookings.create({ slot, guest: 'Grace' }).catch((error: unknown) => error);
if (!(rejection instanceof SlotTakenError)) throw new Error('The slot was given twice');
const type: ProblemType | (string & {}) = rejection.problem.type;
const promised: 409 = problemTypes['slot-taken'].status;
const guests: string[] = [];
for await (const { guest } of bookings.listAll({ resource_id: room })) guests.push(guest);
const checked = validate(createBookingSchema, { Slot: {} });

process.stdout.write(
  JSON.stringify({
    isSame: (await bookings.get(booking.booking_id)).created_at === booking.created_at,
    rejected: { type, status: rejection.status, promised },
    heldFrom: parseInstant(rejection.conflictingSlot?.start ?? ''),
    guests,
    faults: 'faults' in checked ? checked.faults : [],
  }),
);
