import {
  BookingNotFoundError,
  ForbiddenError,
  IdempotencyKeyReusedError,
  InternalError,
  InvalidBookingError,
  InvalidRequestError,
  type Problem,
  ProblemError,
  RateLimitedError,
  SlotTakenError,
  UnauthenticatedError,
  UnavailableError,
  UnexpectedResponseError,
} from './errors.js';
import { headerOf, type ReceivedResponse } from './received-response.js';
import { retryAfterOf } from './retry.js';
import type { BookingDto, BookingPageDto, FieldErrorDto, ProblemName, SlotDto } from './types.js';

const classes = {
  'booking-not-found': BookingNotFoundError,
  forbidden: ForbiddenError,
  'idempotency-key-reused': IdempotencyKeyReusedError,
  internal: InternalError,
  'invalid-booking': InvalidBookingError,
  'invalid-request': InvalidRequestError,
  'rate-limited': RateLimitedError,
  'slot-taken': SlotTakenError,
  unauthenticated: UnauthenticatedError,
  unavailable: UnavailableError,
} satisfies Partial<Record<ProblemName, typeof ProblemError>>;
/** The classes of problems by `type`. */
const errorClasses = new Map<string, typeof ProblemError>(
  Object.entries(classes).map(([name, value]) => [`urn:problem-type:bookings:${name}`, value]),
);

/** A booking as it arrived: a `Date` that the creator sent has become a string. */
export type Booking<Details extends object = Record<string, unknown>> = BookingDto<AsJson<Details>>;

export type BookingPage<Details extends object = Record<string, unknown>> = BookingPageDto<AsJson<Details>>;

type AsJson<Value> = { [Name in keyof Value]: JsonOf<Value[Name]> };
/** Primitives come first: to the compiler, a branded string is an object as well. */
type JsonOf<Value> = Value extends string | number | boolean
  ? Value
  : Value extends Date
    ? string
    : Value extends object
      ? AsJson<Value>
      : Value;

/** @throws UnexpectedResponseError unless the response has this status and a booking */
export function readBooking<Details extends object>(response: ReceivedResponse, status: number): Booking<Details> {
  const booking = readObject(response, status);
  if (typeof booking['booking_id'] !== 'string') throw unexpected(response, 'The response has no booking_id');
  return booking as Booking<Details>;
}

/** @throws UnexpectedResponseError unless the response has this status and a page of bookings */
export function readPage<Details extends object>(response: ReceivedResponse, status: number): BookingPage<Details> {
  const page = readObject(response, status);
  const { bookings, next_cursor: cursor } = page;
  const isList = Array.isArray(bookings) && bookings.every(isObject);
  if (!isList || !(cursor === null || typeof cursor === 'string')) {
    throw unexpected(response, 'The response is not a page of bookings');
  }
  return page as BookingPage<Details>;
}

function readObject(response: ReceivedResponse, status: number): Record<string, unknown> {
  if (response.status !== status) throw unexpected(response, `The response's status is not ${status}`);
  const value = parseObject(response.body);
  if (value === undefined) throw unexpected(response, 'The response is not a JSON object');
  return value;
}

function unexpected(response: ReceivedResponse, what: string): UnexpectedResponseError {
  return new UnexpectedResponseError(what, response.status, headerOf(response.headers, 'x-request-id'));
}

export function toProblemError(response: ReceivedResponse, url: string): ProblemError {
  const problem = readProblem(response, url);
  const errorClass = errorClasses.get(problem.type) ?? ProblemError;
  return new errorClass({
    problem,
    status: response.status,
    requestId: headerOf(response.headers, 'x-request-id'),
    retryAfter: retryAfterOf(headerOf(response.headers, 'retry-after')),
  });
}

/** The problem of an error response. Required members get defaults if missing or of a wrong type (RFC 9457 §3.1). */
function readProblem(response: ReceivedResponse, url: string): Problem {
  const mediaType = headerOf(response.headers, 'content-type');
  const isProblem = mediaType === undefined || /^application\/problem\+json\s*(;|$)/i.test(mediaType);
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
      `The response has no problem details and may be of another server (content type ${mediaType ?? 'none'})`,
    ),
    instance: text('instance', new URL(url).pathname),
    ...(Array.isArray(errors) && { errors: errors.filter(isFieldError) }),
    ...(isObject(slot) && { conflicting_slot: slot as SlotDto }),
  };
}

function isFieldError(value: unknown): value is FieldErrorDto {
  return isObject(value) && typeof value['pointer'] === 'string' && typeof value['detail'] === 'string';
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
