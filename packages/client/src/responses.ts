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
import type { BookingDto, BookingPageDto, FieldErrorDto, ProblemName, SlotDto } from './types.js';

type ErrorClass = new (response: ProblemResponse) => ProblemError;

const errorClasses = new Map<string, ErrorClass>(
  Object.entries({
    'slot-taken': SlotTakenError,
    'invalid-booking': InvalidBookingError,
    'idempotency-key-reused': IdempotencyKeyReusedError,
    'invalid-request': InvalidRequestError,
    unauthenticated: UnauthenticatedError,
    forbidden: ForbiddenError,
    'booking-not-found': BookingNotFoundError,
    'rate-limited': RateLimitedError,
    internal: InternalError,
    unavailable: UnavailableError,
  } satisfies Partial<Record<ProblemName, ErrorClass>>).map(([name, type]) => [
    `urn:problem-type:bookings:${name}`,
    type,
  ]),
);

export interface ReceivedResponse {
  status: number;
  statusText: string;
  headers: Headers;
  body: string;
}

/** Maximum bytes of a response's body; a page of bookings has up to about 1 MiB. */
const MAX_BYTES = 8 * 1_048_576;

/** The text of a response. @throws UnexpectedResponseError beyond 8 MiB, if the body is a stream */
export async function textOf(response: Response): Promise<string> {
  // Some implementations of `fetch` have no streams.
  const reader = response.body?.getReader();
  if (reader === undefined) return response.text();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > MAX_BYTES) break;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  throw new UnexpectedResponseError(
    'The response is longer than 8 MiB',
    response.status,
    requestIdOf(response.headers),
  );
}

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
  return new UnexpectedResponseError(what, response.status, requestIdOf(response.headers));
}

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

/** The problem of an error response. Required members get defaults if missing or of a wrong type (RFC 9457 §3.1). */
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
      `The response has no problem details and may be of another server (content type ${mediaType})`,
    ),
    instance: text('instance', new URL(url).pathname),
    ...(Array.isArray(errors) && { errors: errors.filter(isFieldError) }),
    ...(isObject(slot) && { conflicting_slot: slot as SlotDto }),
  };
}

function isFieldError(value: unknown): value is FieldErrorDto {
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
