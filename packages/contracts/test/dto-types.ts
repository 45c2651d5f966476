/** Types that must compile, and types that must not: `tsc --noEmit` checks both. */
import type * as z from 'zod';
import type * as events from '../src/events.js';
import type * as contracts from '../src/index.js';
import type {
  BookingCreatedEventDto,
  BookingDeletedEventDto,
  BookingDto,
  BookingEventDto,
  BookingPageDto,
  CreateBookingDto,
  ListBookingsQueryDto,
  PingEventDto,
  ProblemDto,
  SlotDto,
} from '../src/types.js';

/** Whether the output of a schema and its DTO type are the same. */
type Same<Read, Dto> = [Read, Dto, keyof Read, keyof Dto] extends [Dto, Read, keyof Dto, keyof Read] ? true : false;
/** A query as callers write it: members may be missing or undefined. */
type Optional<Query> = { [Name in keyof Query]?: Query[Name] | undefined };
type Schemas = typeof contracts & typeof events;
type Read<Name extends keyof Schemas> = Schemas[Name] extends z.ZodType<infer Output> ? Output : never;
export const schemasMatch: [
  Same<Read<'slotSchema'>, SlotDto>,
  Same<Read<'createBookingSchema'>, CreateBookingDto>,
  Same<Read<'bookingSchema'>, BookingDto>,
  Same<Read<'bookingPageSchema'>, BookingPageDto & Record<string, unknown>>,
  Same<Optional<Read<'listBookingsQuerySchema'>>, ListBookingsQueryDto>,
  Same<Read<'problemSchema'>, ProblemDto>,
  Same<Read<'bookingCreatedEventSchema'>, BookingCreatedEventDto & Record<string, unknown>>,
  Same<Read<'bookingDeletedEventSchema'>, BookingDeletedEventDto & Record<string, unknown>>,
  Same<Read<'pingEventSchema'>, PingEventDto & Record<string, unknown>>,
] = [true, true, true, true, true, true, true, true, true];

interface Dinner {
  guest: { name: string };
  seats?: number;
}

declare const slot: SlotDto;
declare const dinner: BookingDto<Dinner>;
declare const untyped: BookingDto;
declare const page: BookingPageDto<Dinner>;
declare const problem: ProblemDto;
declare const event: BookingEventDto<Dinner>;

export const names: string[] = [dinner.booking_id, dinner.created_at, dinner.guest.name, untyped.booking_id];
export const optional: [SlotDto | undefined, number | undefined] = [dinner.slot, dinner.seats];
export const onAPage: string | undefined = page.bookings[0]?.guest.name;
// @ts-expect-error: no such member among the creator's
export const unknownMember = dinner.phone;
// @ts-expect-error: without `Details`, the creator's members are unknown
export const unchecked: string = untyped.guest;

export const payloads: [CreateBookingDto<Dinner>, CreateBookingDto] = [
  { guest: { name: 'Ada' }, seats: 2, slot },
  { anything: [1, { a: null }] },
];
// @ts-expect-error: the guest is missing
export const noGuest: CreateBookingDto<Dinner> = { slot };
// @ts-expect-error: null is not "no slot"
export const nullSlot: CreateBookingDto<Dinner> = { guest: { name: 'Ada' }, slot: null };
// @ts-expect-error: the service sets the id
export const ownId: CreateBookingDto<Dinner> = { guest: { name: 'Ada' }, booking_id: 'x' };
// @ts-expect-error: not a problem type
export const isMisspelt: boolean = problem.type === 'urn:problem-type:bookings:slot-token';

/** `type` narrows an event. */
export const guest = event.type === 'bookings.booking.created' ? event.data.guest.name : event.id;
export const freeSlot = event.type === 'bookings.booking.deleted' ? event.data.slot?.resource_id : undefined;
// @ts-expect-error: a deletion has none of the creator's members
export const guestOfDeleted = event.type === 'bookings.booking.deleted' ? event.data.guest : '';
// @ts-expect-error: a ping has no subject
export const anySubject = event.subject;
