/** Status and title (RFC 9457 §3.1) of every problem type, by the name at the end of its `type`. */
export const problemTypes = {
  'invalid-request': { status: 400, title: 'Invalid request' },
  unauthenticated: { status: 401, title: 'Authentication required' },
  forbidden: { status: 403, title: 'Insufficient scope' },
  'booking-not-found': { status: 404, title: 'Booking not found' },
  'route-not-found': { status: 404, title: 'Path not found' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'request-timeout': { status: 408, title: 'Request timeout' },
  'slot-taken': { status: 409, title: 'Slot already taken' },
  'payload-too-large': { status: 413, title: 'Request body too large' },
  'unsupported-media-type': { status: 415, title: 'Unsupported media type' },
  'expectation-failed': { status: 417, title: 'Unsupported expectation' },
  'invalid-booking': { status: 422, title: 'Invalid booking' },
  'idempotency-key-reused': { status: 422, title: 'Idempotency key reused with another payload' },
  'rate-limited': { status: 429, title: 'Too many requests' },
  'headers-too-large': { status: 431, title: 'Request headers too large' },
  internal: { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'Service unavailable' },
} as const;

export type ProblemName = keyof typeof problemTypes;

/** The `type` of a problem. */
export type ProblemType = `urn:problem-type:bookings:${ProblemName}`;

export function problemType(name: ProblemName): ProblemType {
  return `urn:problem-type:bookings:${name}`;
}
