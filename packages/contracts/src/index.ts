export * from './authentication.js';
export * from './booking.js';
export * from './examples.js';
export * from './headers.js';
export * from './instant.js';
export * from './list-query.js';
export * from './operations.js';
export { MAX_ERRORS, MAX_PAYLOAD_BYTES, MAX_PAYLOAD_DEPTH } from './payload-rules.js';
export * from './problem.js';
export * from './problem-types.js';
export type {
  BookingDto,
  BookingPageDto,
  CreateBookingDto,
  FieldErrorDto,
  ListBookingsQueryDto,
  ProblemDto,
  SlotDto,
} from './types.js';
export * from './validate.js';
