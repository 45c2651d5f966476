import type { ResponseHeader } from './headers.js';
import { MAX_PAYLOAD_BYTES } from './payload-rules.js';

/** What all responses with one `type` have in common. */
export interface ProblemContract {
  status: number;
  title: string;
  /** The `detail` of responses in which the service has nothing more specific to say. */
  detail: string;
  /** Headers that a response of an operation may have besides `commonResponseHeaders`. */
  headers?: readonly ResponseHeader[];
  /** Extension members that every response has (RFC 9457 §3.2). */
  members?: readonly ('errors' | 'conflicting_slot')[];
  /** Ids of the operations that respond with it, or `all` if they share the response. None for those of HTTP itself. */
  operations?: 'all' | 'all with tokens' | readonly string[];
}

/**
 * Every problem type, by the name at the end of its `type`: the source of the OpenAPI document, the client's errors and
 * the kit's checks. Without Zod.
 */
export const problemTypes = {
  'invalid-request': {
    status: 400,
    title: 'Invalid request',
    detail: 'The request is malformed. See `errors`, if there are any.',
    // By name, since each operation has errors of its own.
    operations: ['listBookings', 'createBooking', 'getBooking'],
  },
  unauthenticated: {
    status: 401,
    title: 'Authentication required',
    detail: 'The request has no bearer token. Send `Authorization: Bearer` and a token.',
    headers: ['WWW-Authenticate'],
    operations: 'all with tokens',
  },
  forbidden: {
    status: 403,
    title: 'Insufficient scope',
    detail: 'The token lacks the scope for this operation.',
    headers: ['WWW-Authenticate'],
    operations: 'all with tokens',
  },
  'booking-not-found': {
    status: 404,
    title: 'Booking not found',
    detail: 'No booking has exactly this id.',
    operations: ['getBooking'],
  },
  'route-not-found': {
    status: 404,
    title: 'Path not found',
    detail: 'There is nothing at this path. The operations are under /v1/bookings.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    detail: 'This path does not support the method. See `Allow`.',
  },
  'request-timeout': {
    status: 408,
    title: 'Request timeout',
    detail: 'The request was not complete in time.',
  },
  'slot-taken': {
    status: 409,
    title: 'Slot already taken',
    detail: 'The slot overlaps one that is already booked.',
    members: ['conflicting_slot'],
    operations: ['createBooking'],
  },
  'payload-too-large': {
    status: 413,
    title: 'Request body too large',
    detail: `The body is larger than ${MAX_PAYLOAD_BYTES} bytes.`,
    operations: ['createBooking'],
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported media type',
    detail: 'The body is not application/json.',
    headers: ['Accept', 'Accept-Encoding'],
    operations: ['createBooking'],
  },
  'expectation-failed': {
    status: 417,
    title: 'Unsupported expectation',
    detail: 'The only supported expectation is 100-continue.',
  },
  'invalid-booking': {
    status: 422,
    title: 'Invalid booking',
    detail: 'The payload is not a valid booking. See `errors`.',
    members: ['errors'],
    operations: ['createBooking'],
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'Idempotency key reused with another payload',
    detail: 'This idempotency key was used with another payload. Send a new booking with a new key.',
    operations: ['createBooking'],
  },
  'rate-limited': {
    status: 429,
    title: 'Too many requests',
    detail: 'Too many requests. Retry after the seconds in `Retry-After`.',
    headers: ['Retry-After'],
    operations: 'all',
  },
  'headers-too-large': {
    status: 431,
    title: 'Request headers too large',
    detail: 'The request headers are too large.',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    detail: 'The service failed. Its log has the cause under the id of this request.',
    operations: 'all',
  },
  unavailable: {
    status: 503,
    title: 'Service unavailable',
    detail: 'The service cannot do this now. Retry after the seconds in `Retry-After`.',
    headers: ['Retry-After'],
    operations: 'all',
  },
} as const satisfies Record<string, ProblemContract>;

export type ProblemName = keyof typeof problemTypes;

/** The `type` of a problem. */
export type ProblemType = `urn:problem-type:bookings:${ProblemName}`;

export function problemType(name: ProblemName): ProblemType {
  return `urn:problem-type:bookings:${name}`;
}
