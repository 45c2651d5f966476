/**
 * What the type that is generated of a booking schema promises. There is nothing to run: `tsc --noEmit`
 * goes red when a line that must compile does not, or one that must not does.
 */
import type { BookingDto, CreateBookingDto, SlotDto } from '@booking-service/contracts';
import type { BookingDetails } from './dinner-details.js';

declare const slot: SlotDto;
declare const booking: BookingDto<BookingDetails>;

export const payloads: CreateBookingDto<BookingDetails>[] = [
  { guest: { name: 'Ada' }, seats: 2 },
  { slot, guest: { name: 'Ada', email: 'ada@example.org' }, seats: 2, occasion: 'birthday' },
];
export const name: string = booking.guest.name;

// @ts-expect-error: the guest is missing
export const noGuest: CreateBookingDto<BookingDetails> = { slot, seats: 2 };
// @ts-expect-error: not one of the occasions
export const otherOccasion: CreateBookingDto<BookingDetails> = { guest: { name: 'Ada' }, seats: 2, occasion: 'x' };
// @ts-expect-error: no such member
export const otherMember: CreateBookingDto<BookingDetails> = { guest: { name: 'Ada' }, seats: 2, phone: '1' };
