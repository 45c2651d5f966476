import type * as z from 'zod';
import { bookingPageSchema, bookingSchema, createBookingSchema } from './booking.js';
import { bookingExample, pageExample } from './examples.js';
import type { RequestHeader, ResponseHeader } from './headers.js';
import { listBookingsQuerySchema } from './list-query.js';
import { type ProblemName, problemTypes } from './problem-types.js';
import { problemContract } from './problem.js';

/** Scopes of a token (RFC 6749 §3.3). If the service requires tokens, each operation names the one that it needs. */
export const scopes = ['bookings:read', 'bookings:write'] as const;
export type Scope = (typeof scopes)[number];

/** A successful response. */
interface Success {
  status: number;
  description: string;
  /** Headers in addition to `commonResponseHeaders`. */
  headers: readonly ResponseHeader[];
  schema: z.ZodObject;
  example: object;
  /** Operations that a client may call next (OpenAPI 3.1.1 §4.8.20), by name of the link. */
  links?: Readonly<Record<string, Link>>;
}

interface Link {
  operationId: string;
  description: string;
  /** The runtime expression for each parameter. */
  parameters: Readonly<Record<string, string>>;
}

export interface OperationContract {
  method: 'GET' | 'POST';
  /** An OpenAPI path template. */
  path: string;
  /** The parameters of the path, by name. */
  params?: Readonly<Record<string, { description: string; schema: object }>>;
  summary: string;
  /** The scope that a token needs, if the service requires tokens. */
  scope: Scope;
  /** Text in CommonMark. */
  description: string;
  headers: readonly RequestHeader[];
  query?: z.ZodObject;
  body?: z.ZodType;
  success: Success;
  /** The response if an ETag in `If-None-Match` still matches. */
  notModified?: Pick<Success, 'status' | 'description' | 'headers'>;
  /** Problems, but not those of route, method, token or HTTP itself (408, 417, 431). */
  problems: readonly ProblemName[];
}

const problemNames = Object.keys(problemTypes) as ProblemName[];

function problemsOf(id: string): ProblemName[] {
  return problemNames.filter((name) => {
    const { operations: having = [] } = problemContract(name);
    return having === 'all' || having.includes(id);
  });
}

/** Problems of every operation, in addition to its own, if the service requires tokens. */
export const authenticationProblems: readonly ProblemName[] = problemNames.filter(
  (name) => problemContract(name).operations === 'all with tokens',
);

/** The operations of the Booking Service Interface (Preview) by `operationId`: the source of the OpenAPI document. */
export const operations = {
  listBookings: {
    method: 'GET',
    path: '/v1/bookings',
    summary: 'List bookings (preview)',
    scope: 'bookings:read',
    description:
      'Returns a page of bookings: by start with `from` or `to`, otherwise by creation, newest first. Follow `next_cursor` until it is null: every booking that existed when the first page was requested is returned exactly once. Polling with the `ETag` of an unchanged page transfers no body.',
    headers: ['If-None-Match'],
    query: listBookingsQuerySchema,
    success: {
      status: 200,
      description: 'A page of bookings',
      headers: ['ETag', 'Link'],
      schema: bookingPageSchema,
      example: pageExample,
      links: {
        NextPage: {
          operationId: 'listBookings',
          description: 'The next page, with the other parameters unchanged; there is none if `next_cursor` is null',
          parameters: { cursor: '$response.body#/next_cursor' },
        },
      },
    },
    notModified: {
      status: 304,
      description: '`If-None-Match` names the page, which has not changed',
      headers: ['ETag'],
    },
    problems: problemsOf('listBookings'),
  },
  createBooking: {
    method: 'POST',
    path: '/v1/bookings',
    summary: 'Create a booking (preview)',
    scope: 'bookings:write',
    description:
      'Creates a booking from a JSON object. Only `slot` has a meaning to the service: two bookings never hold overlapping slots of one resource. With an `Idempotency-Key` a create can be retried and still books only once.',
    headers: ['Idempotency-Key'],
    body: createBookingSchema,
    success: {
      status: 201,
      description:
        'The booking. With `Idempotent-Replayed`, it is the first response to this idempotency key, byte for byte',
      headers: ['Location', 'ETag', 'Idempotent-Replayed'],
      schema: bookingSchema,
      example: bookingExample,
      links: {
        CreatedBooking: {
          operationId: 'getBooking',
          description: 'The booking',
          parameters: { booking_id: '$response.body#/booking_id' },
        },
      },
    },
    problems: problemsOf('createBooking'),
  },
  getBooking: {
    method: 'GET',
    path: '/v1/bookings/{booking_id}',
    params: {
      booking_id: {
        description: 'Id of a booking, exactly as the service returned it',
        schema: { type: 'string', minLength: 1, examples: [bookingExample.booking_id] },
      },
    },
    summary: 'Get a booking (preview)',
    scope: 'bookings:read',
    description:
      'Returns one booking, exactly as its create returned it. A booking never changes, so its `ETag` stays valid.',
    headers: ['If-None-Match'],
    success: {
      status: 200,
      description: 'The booking',
      headers: ['ETag'],
      schema: bookingSchema,
      example: bookingExample,
    },
    notModified: {
      status: 304,
      description: '`If-None-Match` names the booking, which never changes',
      headers: ['ETag'],
    },
    problems: problemsOf('getBooking'),
  },
} as const satisfies Record<string, OperationContract>;

export type OperationId = keyof typeof operations;
