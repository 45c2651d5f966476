export { BookingsClient } from './client.js';
export type { Call, ClientResponse } from './client-response.js';
export * from './errors.js';
export type { FreeSlot, FreeSlotsOptions } from './free-slots.js';
export { BookingOperations } from './operations.js';
export type {
  CallOptions,
  ClientOptions,
  CreateOptions,
  GetOptions,
  HeadersOption,
  ListOptions,
  Token,
} from './options.js';
export type { Instant, ListQuery, NewBooking } from './requests.js';
export type { Booking, BookingPage } from './responses.js';
export type {
  BookingDto,
  BookingPageDto,
  CreateBookingDto,
  FieldErrorDto,
  ListBookingsQueryDto,
  ProblemType,
  SlotDto,
} from './types.js';
