import { URL_SAFE } from './booking.js';
import { bookingExample, pageExample } from './examples.js';

/** Headers of responses by name, as the OpenAPI document describes them. */
export const responseHeaders = {
  'X-Request-Id': {
    description: "The caller's `X-Request-Id` if it is 1 to 128 visible ASCII characters, otherwise a new one",
    schema: { type: 'string', maxLength: 128, pattern: '^[!-~]+$' },
  },
  'Cache-Control': {
    description: 'Shared caches must not store the response; a private cache must revalidate it (RFC 9111 §5.2.2)',
    schema: { type: 'string', const: 'private, no-cache' },
  },
  Location: {
    description: 'Path of the booking',
    schema: { type: 'string', maxLength: 300, pattern: `^/v1/bookings/${URL_SAFE}$` },
    example: `/v1/bookings/${bookingExample.booking_id}`,
  },
  ETag: {
    description: 'Strong validator of the booking, or of the page (RFC 9110 §8.8.3)',
    schema: { type: 'string', maxLength: 257, pattern: '^"[!#-~]+"$' },
    example: `"${bookingExample.booking_id}"`,
  },
  'Idempotent-Replayed': {
    description: 'Present if this is the first response to the idempotency key, replayed',
    schema: { type: 'string', enum: ['true'] },
  },
  Link: {
    description: 'The next page (RFC 8288), if there is one',
    schema: { type: 'string', maxLength: 16_384, pattern: '^<.+>; rel="next"$' },
    example: `</v1/bookings?limit=2&cursor=${pageExample.next_cursor}>; rel="next"`,
  },
  'Retry-After': {
    description: 'Seconds to wait before a retry',
    schema: { type: 'string', maxLength: 10, pattern: '^\\d+$' },
  },
  'WWW-Authenticate': {
    description: 'What the request lacks (RFC 6750 §3)',
    schema: { type: 'string', maxLength: 1_000, pattern: '^Bearer ' },
    example: 'Bearer realm="bookings", error="invalid_token"',
  },
  'RateLimit-Policy': {
    description: 'If a rate limit is set: the requests (`q`) that a caller may send in `w` seconds',
    schema: { type: 'string', maxLength: 100, pattern: '^"caller";q=' },
    example: '"caller";q=600;w=60',
  },
  RateLimit: {
    description:
      'If a rate limit is set: the remaining requests (`r`), and the seconds until all are available again (`t`)',
    schema: { type: 'string', maxLength: 100, pattern: '^"caller";r=' },
    example: '"caller";r=599;t=60',
  },
  Accept: { description: 'The supported content type', schema: { type: 'string', const: 'application/json' } },
  'Accept-Encoding': {
    description: 'The supported content encoding',
    schema: { type: 'string', const: 'identity' },
  },
} as const;

export type ResponseHeader = keyof typeof responseHeaders;

/** Headers of every response to an operation, the `RateLimit` ones only if the request counts towards a rate limit. */
export const commonResponseHeaders = [
  'X-Request-Id',
  'Cache-Control',
  'RateLimit-Policy',
  'RateLimit',
] as const satisfies ResponseHeader[];

/** Headers of requests by name, as the OpenAPI document describes them. All are optional. */
export const requestHeaders = {
  'Idempotency-Key': {
    description:
      'Makes a create safe to retry: the same key with the same payload gets the first response again. 1 to 255 visible ASCII characters without `"` and `\\`, bare or in double quotes.',
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: 257,
      pattern: '^("[!#-\\[\\]-~]{1,255}"|[!#-\\[\\]-~]{1,255})$',
      // Swagger UI would send an `example`, in the singular, with every create.
      examples: ['"5f0c7a1e-2d7b-4b57-9a43-6b8f5d0f9c11"'],
    },
  },
  'If-None-Match': {
    description: 'ETags that the caller has; 304 if one matches',
    schema: { type: 'string', maxLength: 16_384 },
  },
} as const;

export type RequestHeader = keyof typeof requestHeaders;
