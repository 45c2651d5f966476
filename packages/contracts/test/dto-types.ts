/**
 * What the compiler promises to those who write against the DTO types. There is nothing to run:
 * `tsc --noEmit` goes red when a line that must compile does not, or one that must not does.
 */
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

/** What a schema reads and its DTO type are the same, member by member and in both directions. */
type Same<Read, Dto> = [Read, Dto, keyof Read, keyof Dto] extends [Dto, Read, keyof Dto, keyof Read] ? true : false;
type Schemas = typeof contracts & typeof events;
type Read<Name extends keyof Schemas> = Schemas[Name] extends z.ZodType<infer Output> ? Output : never;
export const schemasMatch: [
  Same<Read<'slotSchema'>, SlotDto>,
  Same<Read<'createBookingSchema'>, CreateBookingDto>,
  Same<Read<'bookingSchema'>, BookingDto>,
  Same<Read<'bookingPageSchema'>, BookingPageDto & Record<string, unknown>>,
  Same<Partial<Read<'listBookingsQuerySchema'>>, ListBookingsQueryDto>,
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

/** A booking has the service's members and the creator's, each with its own type. */
export const ofTheService: string[] = [dinner.booking_id, dinner.created_at];
export const ofTheCreator: string = dinner.guest.name;
export const perhaps: [SlotDto | undefined, number | undefined] = [dinner.slot, dinner.seats];
export const onAPage: string | undefined = page.bookings[0]?.guest.name;
export const next: string | null = page.next_cursor;

// @ts-expect-error: the slot may be absent
export const surely: SlotDto = dinner.slot;
// @ts-expect-error: no such member among the creator's
export const unknownMember = dinner.phone;
// @ts-expect-error: the type of the creator's own member
export const wrongType: number = dinner.guest.name;

/** Without a type of its own, a detail can be read and is unknown until it is looked at. */
export const detail: unknown = untyped.guest;
export const idOfUntyped: string = untyped.booking_id;
// @ts-expect-error: unknown is not a string
export const unchecked: string = untyped.guest;

/** A payload has the creator's members, and a slot or none. */
export const payloads: CreateBookingDto<Dinner>[] = [
  { guest: { name: 'Ada' } },
  { guest: { name: 'Ada' }, seats: 2, slot },
];
export const anything: CreateBookingDto = { whatever: [1, { a: null }], slot };

// @ts-expect-error: the guest is missing
export const noGuest: CreateBookingDto<Dinner> = { slot };
// @ts-expect-error: null is not "no slot"
export const nullSlot: CreateBookingDto<Dinner> = { guest: { name: 'Ada' }, slot: null };
// @ts-expect-error: the service sets the id
export const ownId: CreateBookingDto<Dinner> = { guest: { name: 'Ada' }, booking_id: 'x' };
// @ts-expect-error: a slot has three members
export const halfSlot: CreateBookingDto = { slot: { resource_id: 'room-7', start: '2026-12-01T09:00:00Z' } };
// @ts-expect-error: a slot is closed
export const openSlot: SlotDto = { resource_id: 'room-7', start: '', end: '', seats: 2 };

/** A query is given as its consumer means it, in parts. */
export const queries: ListBookingsQueryDto[] = [{}, { limit: 5, sort: 'created_at' }, { resource_id: 'room-7' }];
// @ts-expect-error: not one of the two orders
export const badOrder: ListBookingsQueryDto = { sort: 'start' };

/** A problem's type is one of a closed set of names. */
export const isTaken: boolean = problem.type === 'urn:problem-type:bookings:slot-taken';
// @ts-expect-error: there is no such problem
export const isMisspelt: boolean = problem.type === 'urn:problem-type:bookings:slot-token';

declare const event: BookingEventDto<Dinner>;

/** The type of an event narrows its data. */
export const guestOf = event.type === 'bookings.booking.created' ? event.data.guest.name : event.id;
export const subjectOf = ({ subject }: BookingCreatedEventDto): string => subject;
export const slotOfDeleted = event.type === 'bookings.booking.deleted' ? event.data.slot?.resource_id : undefined;
// @ts-expect-error: a deletion has nothing of the creator
export const guestOfDeleted = event.type === 'bookings.booking.deleted' ? event.data.guest : '';
// @ts-expect-error: a ping has no guest
export const guestOfPing = event.type === 'bookings.ping' ? event.data.guest.name : '';
// @ts-expect-error: a ping is of no booking
export const anySubject = event.subject;
