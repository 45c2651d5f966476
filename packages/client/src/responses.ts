import {
  BookingNotFoundError,
  ForbiddenError,
  IdempotencyKeyReusedError,
  InternalError,
  InvalidBookingError,
  InvalidRequestError,
  type Problem,
  type ProblemResponse,
  ProblemError,
  RateLimitedError,
  SlotTakenError,
  UnauthenticatedError,
  UnavailableError,
  UnexpectedResponseError,
} from './errors.js';
import { retryAfterOf } from './retry.js';
import type { BookingDto, BookingPageDto, FieldErrorDto, ProblemType, SlotDto } from './types.js';

type ErrorClass = new (response: ProblemResponse) => ProblemError;

/** The problems that callers may want to catch by class. */
const errorClasses = new Map<string, ErrorClass>(
  Object.entries({
    'urn:problem-type:bookings:slot-taken': SlotTakenError,
    'urn:problem-type:bookings:invalid-booking': InvalidBookingError,
    'urn:problem-type:bookings:idempotency-key-reused': IdempotencyKeyReusedError,
    'urn:problem-type:bookings:invalid-request': InvalidRequestError,
    'urn:problem-type:bookings:unauthenticated': UnauthenticatedError,
    'urn:problem-type:bookings:forbidden': ForbiddenError,
    'urn:problem-type:bookings:booking-not-found': BookingNotFoundError,
    'urn:problem-type:bookings:rate-limited': RateLimitedError,
    'urn:problem-type:bookings:internal': InternalError,
    'urn:problem-type:bookings:unavailable': UnavailableError,
  } satisfies Partial<Record<ProblemType, ErrorClass>>),
);

/** A response that has arrived as a whole. */
export interface ReceivedResponse {
  status: number;
  statusText: string;
  headers: Headers;
  body: string;
}

/** A booking as it arrived: what was sent as a `Date` is a text, as in all JSON. */
export type Booking<Details extends object = Record<string, unknown>> = BookingDto<AsJson<Details>>;

export type BookingPage<Details extends object = Record<string, unknown>> = BookingPageDto<AsJson<Details>>;

type AsJson<Value> = { [Name in keyof Value]: JsonOf<Value[Name]> };
type JsonOf<Value> = Value extends Date ? string : Value extends object ? AsJson<Value> : Value;

/** @throws UnexpectedResponseError unless the response has this status and a booking for its body */
export function readBooking<Details extends object>(response: ReceivedResponse, status: number): Booking<Details> {
  const booking = readObject(response, status);
  if (typeof booking['booking_id'] !== 'string') throw unexpected(response, 'The response has no booking_id');
  return booking as Booking<Details>;
}

/** @throws UnexpectedResponseError unless the response has this status and a page of bookings for its body */
export function readPage<Details extends object>(response: ReceivedResponse, status: number): BookingPage<Details> {
  const page = readObject(response, status);
  const { bookings, next_cursor: cursor } = page;
  if (!Array.isArray(bookings) || !(cursor === null || typeof cursor === 'string')) {
    throw unexpected(response, 'The response is not a page of bookings');
  }
  return page as BookingPage<Details>;
}

function readObject(response: ReceivedResponse, status: number): Record<string, unknown> {
  // A redirect, whose status a browser reports as 0, is no success either.
  if (response.status !== status) throw unexpected(response, `The response's status is not ${status}`);
  const value = parseObject(response.body);
  if (value === undefined) throw unexpected(response, 'The response is not a JSON object');
  return value;
}

function unexpected(response: ReceivedResponse, what: string): UnexpectedResponseError {
  return new UnexpectedResponseError(what, response.status, requestIdOf(response.headers));
}

/** The error for a response of status 400 or more. */
export function toProblemError(response: ReceivedResponse, url: string): ProblemError {
  const problem = readProblem(response, url);
  const errorClass = errorClasses.get(problem.type) ?? ProblemError;
  return new errorClass({
    problem,
    status: response.status,
    requestId: requestIdOf(response.headers),
    retryAfter: retryAfterOf(response.headers),
  });
}

/** The problem of an error response; members that are missing or of a wrong type are made up or left out (RFC 9457 §3.1). */
function readProblem(response: ReceivedResponse, url: string): Problem {
  const mediaType = response.headers.get('content-type') ?? 'none';
  const isProblem = /^application\/problem\+json\s*(;|$)/i.test(mediaType);
  const { errors, conflicting_slot: slot, ...members } = (isProblem ? parseObject(response.body) : undefined) ?? {};
  const text = (name: string, otherwise: string) => {
    const value = members[name];
    return typeof value === 'string' ? value : otherwise;
  };
  return {
    ...members,
    type: text('type', 'about:blank') as Problem['type'],
    title: text('title', response.statusText || 'The request failed'),
    status: response.status,
    detail: text(
      'detail',
      `The response has no problem details and perhaps is not the service's (content type ${mediaType})`,
    ),
    instance: text('instance', new URL(url).pathname),
    ...(Array.isArray(errors) && { errors: errors.filter(isFault) }),
    ...(isObject(slot) && { conflicting_slot: slot as SlotDto }),
  };
}

function isFault(value: unknown): value is FieldErrorDto {
  return isObject(value) && typeof value['pointer'] === 'string' && typeof value['detail'] === 'string';
}

export function requestIdOf(headers: Headers): string | undefined {
  return headers.get('x-request-id') ?? undefined;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
