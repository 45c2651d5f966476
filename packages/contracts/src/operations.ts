import type { z } from 'zod';
import { bookingPageSchema, bookingSchema, createBookingSchema } from './booking.js';
import { listBookingsQuerySchema } from './list-query.js';
import type { ProblemName } from './problem-types.js';

export interface Operation {
  method: 'GET' | 'POST';
  /** The path as OpenAPI writes it, from the root of the service. */
  path: string;
  summary: string;
  query?: z.ZodObject;
  body?: z.ZodType;
  success: { status: number; schema: z.ZodObject };
  /** The problems that this operation answers, beside those of a wrong path or method, and of what is no whole request. */
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
    query: listBookingsQuerySchema,
    success: { status: 200, schema: bookingPageSchema },
    problems: ['invalid-request', ...always],
  },
  createBooking: {
    method: 'POST',
    path: '/v1/bookings',
    summary: 'Create a booking (preview)',
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
    success: { status: 200, schema: bookingSchema },
    problems: ['invalid-request', 'booking-not-found', ...always],
  },
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof operations;
