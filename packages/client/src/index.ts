export { BookingsClient } from './client.js';
export * from './errors.js';
export type { CallOptions, ClientOptions, CreateOptions, GetOptions, Token } from './options.js';
export type {
  BookingDto,
  BookingPageDto,
  CreateBookingDto,
  FaultDto,
  ListBookingsQueryDto,
  ProblemType,
  SlotDto,
} from '@booking-service/contracts';
