import { MAX_PAYLOAD_BYTES } from './payload-rules.js';
import type { ProblemName } from './problem-types.js';

/** The `detail` of each problem, by its name, for responses in which the service has nothing more specific to say. */
export const problemDetails: Record<ProblemName, string> = {
  'invalid-request': 'The request is malformed. See `errors`, if there are any.',
  unauthenticated: 'The request has no bearer token. Send `Authorization: Bearer` and a token.',
  forbidden: 'The token lacks the scope for this operation.',
  'booking-not-found': 'No booking has exactly this id.',
  'route-not-found': 'There is nothing at this path. The operations are under /v1/bookings.',
  'method-not-allowed': 'This path does not support the method. See `Allow`.',
  'request-timeout': 'The request was not complete in time.',
  'slot-taken': 'The slot overlaps one that is already booked.',
  'payload-too-large': `The body is larger than ${MAX_PAYLOAD_BYTES} bytes.`,
  'unsupported-media-type': 'The body is not application/json.',
  'expectation-failed': 'The only supported expectation is 100-continue.',
  'invalid-booking': 'The payload is not a valid booking. See `errors`.',
  'idempotency-key-reused': 'This idempotency key was used with another payload. Send a new booking with a new key.',
  'rate-limited': 'Too many requests. Retry after the seconds in `Retry-After`.',
  'headers-too-large': 'The request headers are too large.',
  internal: 'The service failed. Its log has the cause under the id of this request.',
  unavailable: 'The service cannot do this now. Retry after the seconds in `Retry-After`.',
};
