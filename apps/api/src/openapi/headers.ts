import type { OperationId } from '@booking-service/contracts';
import { bookingExample, pageExample } from './examples.js';

/** Every header of an answer, once. */
export const headers = {
  'X-Request-Id': {
    description: "The caller's `X-Request-Id` if it is 1 to 128 visible ASCII characters, else a new one",
    schema: { type: 'string', maxLength: 128, pattern: '^[!-~]+$' },
  },
  'Cache-Control': {
    description: 'A booking is for its caller: no shared cache keeps it, any other asks before it is used again',
    schema: { type: 'string', const: 'private, no-cache' },
  },
  Location: {
    description: 'The path of the booking',
    schema: { type: 'string', maxLength: 300, pattern: '^/v1/bookings/[A-Za-z0-9._~-]+$' },
    example: `/v1/bookings/${bookingExample.booking_id}`,
  },
  ETag: {
    description: 'A strong validator of the booking (RFC 9110 §8.8.3)',
    schema: { type: 'string', maxLength: 257, pattern: '^"[!#-~]+"$' },
    example: `"${bookingExample.booking_id}"`,
  },
  'Idempotent-Replayed': {
    description: 'Present where this is the first answer of the idempotency key again',
    schema: { type: 'string', enum: ['true'] },
  },
  Link: {
    description: 'The next page (RFC 8288), where there is one',
    schema: { type: 'string', maxLength: 16_384, pattern: '^<.+>; rel="next"$' },
    example: `</v1/bookings?limit=2&cursor=${pageExample.next_cursor}>; rel="next"`,
  },
  'Retry-After': {
    description: 'Seconds after which another try makes sense',
    schema: { type: 'string', maxLength: 10, pattern: '^\\d+$' },
  },
  'WWW-Authenticate': {
    description: 'What the request lacks (RFC 6750 §3)',
    schema: { type: 'string', maxLength: 1_000, pattern: '^Bearer ' },
    example: 'Bearer realm="bookings", error="invalid_token"',
  },
  'RateLimit-Policy': {
    description: 'Where a limit is set: the requests (`q`) that a caller has in a window of `w` seconds',
    schema: { type: 'string', maxLength: 100, pattern: '^"caller";q=' },
    example: '"caller";q=600;w=60',
  },
  RateLimit: {
    description: 'Where a limit is set: the requests that are left (`r`), and the seconds until all are back (`t`)',
    schema: { type: 'string', maxLength: 100, pattern: '^"caller";r=' },
    example: '"caller";r=599;t=60',
  },
  Accept: { description: 'The content type that is taken', schema: { type: 'string', const: 'application/json' } },
  'Accept-Encoding': {
    description: 'The content encoding that is taken',
    schema: { type: 'string', const: 'identity' },
  },
} as const;

/** The headers that every answer has, or may have. */
export const everywhere = [
  'X-Request-Id',
  'Cache-Control',
  'RateLimit-Policy',
  'RateLimit',
] as const satisfies (keyof typeof headers)[];

/** What a success of each operation means, and its headers beside those of every answer. */
export const successHeaders: Record<OperationId, { description: string; names: (keyof typeof headers)[] }> = {
  listBookings: { description: 'A page of bookings', names: ['Link'] },
  createBooking: {
    description: 'The booking; with `Idempotent-Replayed`, the first answer of this key again, byte for byte',
    names: ['Location', 'ETag', 'Idempotent-Replayed'],
  },
  getBooking: { description: 'The booking', names: ['ETag'] },
};

export const idempotencyKeyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes a create safe to send again: the same key with the same payload is answered with the first answer. 1 to 255 visible ASCII characters without `"` and `\\`, bare or in double quotes.',
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: 257,
    pattern: '^("[!#-\\[\\]-~]{1,255}"|[!#-\\[\\]-~]{1,255})$',
    // Not an `example` of the parameter: Swagger UI would send that with every create that is tried.
    examples: ['"5f0c7a1e-2d7b-4b57-9a43-6b8f5d0f9c11"'],
  },
};

export const ifNoneMatchParameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'ETags of what the caller has; 304 where one matches',
  schema: { type: 'string', maxLength: 16_384 },
};
