/**
 * Every problem the service answers, by the name at the end of its `type`. The status and the title
 * belong to the type (RFC 9457 §3.1): they never differ between two answers of one type.
 */
export const problemTypes = {
  'invalid-request': { status: 400, title: 'The request cannot be understood' },
  unauthenticated: { status: 401, title: 'The request has no token that is good here' },
  forbidden: { status: 403, title: 'The token is not good for this operation' },
  'booking-not-found': { status: 404, title: 'No booking has this id' },
  'route-not-found': { status: 404, title: 'There is nothing at this path' },
  'method-not-allowed': { status: 405, title: 'This path does not take this method' },
  'request-timeout': { status: 408, title: 'The request did not arrive in time' },
  'slot-taken': { status: 409, title: 'The slot overlaps one that is held' },
  'payload-too-large': { status: 413, title: 'The request body is too large' },
  'unsupported-media-type': { status: 415, title: 'The request body is of another type or encoding' },
  'expectation-failed': { status: 417, title: 'The request expects what the service does not know' },
  'invalid-booking': { status: 422, title: 'The payload is not a booking' },
  'idempotency-key-reused': { status: 422, title: 'The idempotency key belongs to another payload' },
  'rate-limited': { status: 429, title: 'The caller asks too often' },
  'headers-too-large': { status: 431, title: 'The request headers are too large' },
  internal: { status: 500, title: 'The service failed' },
  unavailable: { status: 503, title: 'The service cannot do this now' },
} as const;

export type ProblemName = keyof typeof problemTypes;

/** The `type` member of a problem, its one machine-readable name. */
export type ProblemType = `urn:problem-type:bookings:${ProblemName}`;

export function problemType(name: ProblemName): ProblemType {
  return `urn:problem-type:bookings:${name}`;
}
