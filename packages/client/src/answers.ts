import type { BookingDto, BookingPageDto, FaultDto, ProblemType, SlotDto } from '@booking-service/contracts';
import {
  BookingNotFoundError,
  ForbiddenError,
  IdempotencyKeyReusedError,
  InvalidBookingError,
  InvalidRequestError,
  type Problem,
  type ProblemAnswer,
  ProblemError,
  SlotTakenError,
  UnauthenticatedError,
  UnavailableError,
  UnexpectedAnswerError,
} from './errors.js';
import { retryAfterOf } from './retry.js';

type ErrorClass = new (answer: ProblemAnswer) => ProblemError;

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
    'urn:problem-type:bookings:unavailable': UnavailableError,
  } satisfies Partial<Record<ProblemType, ErrorClass>>),
);

/** An answer that has arrived as a whole. */
export interface Answer {
  status: number;
  statusText: string;
  headers: Headers;
  body: string;
}

/** @throws UnexpectedAnswerError unless the answer has this status and a booking for its body */
export function readBooking<Details extends object>(answer: Answer, status: number): BookingDto<Details> {
  const booking = readObject(answer, status);
  if (typeof booking['booking_id'] !== 'string') throw unexpected(answer, 'The answer has no booking_id');
  return booking as BookingDto<Details>;
}

/** @throws UnexpectedAnswerError unless the answer has this status and a page of bookings for its body */
export function readPage<Details extends object>(answer: Answer, status: number): BookingPageDto<Details> {
  const page = readObject(answer, status);
  const { bookings, next_cursor: cursor } = page;
  if (!Array.isArray(bookings) || !(cursor === null || typeof cursor === 'string')) {
    throw unexpected(answer, 'The answer is not a page of bookings');
  }
  return page as BookingPageDto<Details>;
}

function readObject(answer: Answer, status: number): Record<string, unknown> {
  // Nor is a redirect a success, whose status a browser gives as 0.
  if (answer.status !== status) throw unexpected(answer, `The answer's status is not ${status}`);
  const value = parseObject(answer.body);
  if (value === undefined) throw unexpected(answer, 'The answer is not a JSON object');
  return value;
}

function unexpected(answer: Answer, what: string): UnexpectedAnswerError {
  return new UnexpectedAnswerError(what, answer.status, requestIdOf(answer));
}

/** The error for an answer of status 400 or more. */
export function toProblemError(answer: Answer, url: string): ProblemError {
  const problem = readProblem(answer, url);
  const errorClass = errorClasses.get(problem.type) ?? ProblemError;
  return new errorClass({
    problem,
    status: answer.status,
    requestId: requestIdOf(answer),
    retryAfter: retryAfterOf(answer.headers),
  });
}

/** The problem of an error answer; members that are missing or of a wrong type are made up or left out (RFC 9457 §3.1). */
function readProblem(answer: Answer, url: string): Problem {
  const mediaType = answer.headers.get('content-type') ?? 'none';
  const isProblem = /^application\/problem\+json\s*(;|$)/i.test(mediaType);
  const { errors, conflicting_slot: slot, ...members } = (isProblem ? parseObject(answer.body) : undefined) ?? {};
  const text = (name: string, otherwise: string) => {
    const value = members[name];
    return typeof value === 'string' ? value : otherwise;
  };
  return {
    ...members,
    type: text('type', 'about:blank'),
    title: text('title', answer.statusText || 'The request failed'),
    status: answer.status,
    detail: text(
      'detail',
      `The answer has no problem details and perhaps is not the service's (content type ${mediaType})`,
    ),
    instance: text('instance', new URL(url).pathname),
    ...(Array.isArray(errors) && { errors: errors.filter(isFault) }),
    ...(isObject(slot) && { conflicting_slot: slot as SlotDto }),
  };
}

function isFault(value: unknown): value is FaultDto {
  return isObject(value) && typeof value['pointer'] === 'string' && typeof value['detail'] === 'string';
}

function requestIdOf(answer: Answer): string | undefined {
  return answer.headers.get('x-request-id') ?? undefined;
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
