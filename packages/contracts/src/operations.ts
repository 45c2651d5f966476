import type { z } from 'zod';
import type { Scope } from './authentication.js';
import { bookingPageSchema, bookingSchema, createBookingSchema } from './booking.js';
import { listBookingsQuerySchema } from './list-query.js';
import type { ProblemName } from './problem-types.js';

export interface Operation {
  method: 'GET' | 'POST';
  /** The path as OpenAPI writes it, from the root of the service. */
  path: string;
  summary: string;
  /** What a token has to be good for, where the service asks for one. */
  scope: Scope;
  /** In CommonMark. */
  description: string;
  query?: z.ZodObject;
  body?: z.ZodType;
  success: { status: number; schema: z.ZodObject };
  /** The problems that this operation answers, beside those of a wrong path or method, of a token, and of what is no whole request. */
  problems: readonly ProblemName[];
}

/** What any operation may answer, whatever was asked. */
const always = ['rate-limited', 'internal', 'unavailable'] as const satisfies ProblemName[];

/**
 * The three operations of the Booking Service Interface (Preview): where each is, what it takes and
 * what it answers. The service, the OpenAPI document and the client all read it from here.
 */
export const operations = {
  listBookings: {
    method: 'GET',
    path: '/v1/bookings',
    summary: 'List bookings (preview)',
    scope: 'bookings:read',
    description:
      'A page of the bookings, the newest first unless `sort` says otherwise. Follow `next_cursor` until it is null: every booking that was there at the first page is seen exactly once.',
    query: listBookingsQuerySchema,
    success: { status: 200, schema: bookingPageSchema },
    problems: ['invalid-request', ...always],
  },
  createBooking: {
    method: 'POST',
    path: '/v1/bookings',
    summary: 'Create a booking (preview)',
    scope: 'bookings:write',
    description:
      'Makes a booking of any JSON object. Only `slot` has a meaning: two bookings never hold overlapping slots of one resource. With an `Idempotency-Key`, the create can be sent again and books once.',
    body: createBookingSchema,
    success: { status: 201, schema: bookingSchema },
    problems: [
      'invalid-request',
      'slot-taken',
      'payload-too-large',
      'unsupported-media-type',
      'invalid-booking',
      'idempotency-key-reused',
      ...always,
    ],
  },
  getBooking: {
    method: 'GET',
    path: '/v1/bookings/{booking_id}',
    summary: 'Get a booking (preview)',
    scope: 'bookings:read',
    description: 'One booking, as its create answered it. It never changes, so its `ETag` stays good.',
    success: { status: 200, schema: bookingSchema },
    problems: ['invalid-request', 'booking-not-found', ...always],
  },
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof operations;
