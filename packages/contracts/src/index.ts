export {
  bookingPageSchema,
  bookingSchema,
  createBookingSchema,
  instantSchema,
  MAX_PAGE_SIZE,
  resourceIdSchema,
  slotSchema,
} from './booking.js';
export { bookingExample, pageExample, payloadExamples, slotExample } from './examples.js';
export {
  commonResponseHeaders,
  type RequestHeader,
  requestHeaders,
  type ResponseHeader,
  responseHeaders,
} from './headers.js';
export { formatInstant, parseInstant } from './instant.js';
export {
  DEFAULT_PAGE_SIZE,
  type ListBookingsQuery,
  listBookingsQuerySchema,
  type SortOrder,
  sortOrders,
} from './list-query.js';
export {
  authenticationProblems,
  type OperationContract,
  type OperationId,
  operations,
  type Scope,
  scopes,
} from './operations.js';
export { MAX_ERRORS, MAX_PAYLOAD_BYTES, MAX_PAYLOAD_DEPTH } from './payload-rules.js';
export { MAX_DETAIL_LENGTH, MAX_POINTER_LENGTH, problemContract, problemSchema } from './problem.js';
export {
  type ProblemContract,
  type ProblemName,
  problemType,
  type ProblemType,
  problemTypes,
} from './problem-types.js';
export type {
  BookingDto,
  BookingPageDto,
  CreateBookingDto,
  FieldErrorDto,
  ListBookingsQueryDto,
  ProblemDto,
  SlotDto,
} from './types.js';
export { fieldErrorAt, toWellFormed, validate, type Validated } from './validate.js';
