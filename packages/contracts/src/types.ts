/** The DTO types without Zod. `test/dto-types.ts` compares them with the schemas. */
import type { ProblemType } from './problem-types.js';

export type { ProblemName, ProblemType } from './problem-types.js';

/**
 * One resource for one half-open window of time `[start, end)`. Instants are RFC 3339 date-times; in responses, they
 * are in UTC with milliseconds.
 */
export type SlotDto = { resource_id: string; start: string; end: string };

/** The payload of a create. `Details` are the creator's own members, as in `CreateBookingDto<{ guest: string }>`. */
export type CreateBookingDto<Details extends object = Record<string, unknown>> = {
  slot?: SlotDto | undefined;
} & Details;

/** A booking. `Details` are the creator's own members, as in `BookingDto<{ guest: string }>`. */
export type BookingDto<Details extends object = Record<string, unknown>> = {
  booking_id: string;
  created_at: string;
  slot?: SlotDto | undefined;
} & Details;

/** A page of bookings; `next_cursor` is null if and only if nothing follows. */
export type BookingPageDto<Details extends object = Record<string, unknown>> = {
  bookings: BookingDto<Details>[];
  next_cursor: string | null;
};

/** The query of the list. */
export type ListBookingsQueryDto = {
  limit?: number | undefined;
  cursor?: string | undefined;
  resource_id?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  sort?: '-created_at' | 'created_at' | undefined;
};

/** One error in a request, and the JSON Pointer to the member that has it. */
export type FieldErrorDto = { pointer: string; detail: string };

/** Problem details (RFC 9457), the body of every error response. Later versions may add members. */
export type ProblemDto<Type extends string = ProblemType> = {
  type: Type;
  title: string;
  status: number;
  detail: string;
  instance: string;
  errors?: FieldErrorDto[] | undefined;
  conflicting_slot?: SlotDto | undefined;
} & Record<string, unknown>;

type EventDto<Type extends string> = {
  specversion: '1.0';
  id: string;
  source: string;
  type: Type;
  time: string;
  datacontenttype: 'application/json';
};

/** A booking was created. `Details` are the creator's own members. */
export type BookingCreatedEventDto<Details extends object = Record<string, unknown>> =
  EventDto<'bookings.booking.created'> & { subject: string; data: BookingDto<Details> };

/** An operator deleted a booking. */
export type BookingDeletedEventDto = EventDto<'bookings.booking.deleted'> & {
  subject: string;
  data: { booking_id: string; slot?: SlotDto | undefined; deleted_at: string };
};

/** A test of an endpoint, sent at an operator's request. */
export type PingEventDto = EventDto<'bookings.ping'> & { data: Record<string, unknown> };

/** Every event, discriminated by `type`. Later versions may add types: acknowledge an event with an unknown `type`. */
export type BookingEventDto<Details extends object = Record<string, unknown>> =
  | BookingCreatedEventDto<Details>
  | BookingDeletedEventDto
  | PingEventDto;
