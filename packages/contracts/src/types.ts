/** The DTO types in plain TypeScript, for those who install no Zod. `test/dto-types.ts` holds the schemas to them. */
import type { ProblemType } from './problem-types.js';

export type { ProblemName, ProblemType } from './problem-types.js';

/** One resource for one half-open window of time `[start, end)`. Instants of responses are in UTC with milliseconds. */
export type SlotDto = { resource_id: string; start: string; end: string };

/** The payload of a create. `Details` are the creator's own members: `CreateBookingDto<{ guest: string }>`. */
export type CreateBookingDto<Details extends object = Record<string, unknown>> = {
  slot?: SlotDto | undefined;
} & Details;

/** A booking. `Details` are the creator's own members: `BookingDto<{ guest: string }>`. */
export type BookingDto<Details extends object = Record<string, unknown>> = {
  booking_id: string;
  created_at: string;
  slot?: SlotDto | undefined;
} & Details;

/** A page of bookings; `next_cursor` is null exactly when nothing follows. */
export type BookingPageDto<Details extends object = Record<string, unknown>> = {
  bookings: BookingDto<Details>[];
  next_cursor: string | null;
};

/** The query of the list as a consumer gives it; each member may be left out. */
export type ListBookingsQueryDto = {
  limit?: number;
  cursor?: string | undefined;
  resource_id?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  sort?: '-created_at' | 'created_at' | undefined;
};

/** One error of a request, and the JSON Pointer of the member that it is about. */
export type FieldErrorDto = { pointer: string; detail: string };

/** Problem details (RFC 9457), the body of every error. Problems may have more members in later versions. */
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

/** A booking was created. `Details` are the creator's own members: `BookingCreatedEventDto<{ guest: string }>`. */
export type BookingCreatedEventDto<Details extends object = Record<string, unknown>> =
  EventDto<'bookings.booking.created'> & { subject: string; data: BookingDto<Details> };

/** An operator deleted a booking. */
export type BookingDeletedEventDto = EventDto<'bookings.booking.deleted'> & {
  subject: string;
  data: { booking_id: string; slot?: SlotDto | undefined; deleted_at: string };
};

/** A test of an endpoint by its operator. */
export type PingEventDto = EventDto<'bookings.ping'> & { data: Record<string, unknown> };

/** Every event of this version, discriminated by `type`. Types may be added: acknowledge those that you do not know. */
export type BookingEventDto<Details extends object = Record<string, unknown>> =
  | BookingCreatedEventDto<Details>
  | BookingDeletedEventDto
  | PingEventDto;
