import { adviceFor, adviceToCorrect, type Problem, type ProblemResponse } from './problem.js';
import type { FieldErrorDto, ProblemName, SlotDto } from './types.js';

export type { Problem, ProblemResponse } from './problem.js';

/** `SlotTaken` for `slot-taken`. */
type PascalCase<Name extends string> = Name extends `${infer Word}-${infer Rest}`
  ? `${Capitalize<Word>}${PascalCase<Rest>}`
  : Capitalize<Name>;

/** The class of a problem is named after it. A problem without one is a `ProblemError`. */
type ProblemErrorName = 'ProblemError' | `${PascalCase<ProblemName>}Error`;

type BookingsErrorName =
  | 'BookingsError'
  | ProblemErrorName
  | 'UnexpectedResponseError'
  | 'ConnectionError'
  | 'TimeoutError';

/** The mark of errors from any copy of this package; `instanceof` recognizes only errors from the same copy. */
const ERROR_BRAND = Symbol.for('@booking-service/client');

/**
 * Any failure of a call except invalid arguments (`TypeError`, `RangeError`), aborts, and errors from functions in the
 * options.
 */
export class BookingsError extends Error {
  override readonly name: BookingsErrorName = 'BookingsError';
  /** The idempotency key of a failed create. Repeated with this key and the same payload, it cannot book twice. */
  idempotencyKey?: string;

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    Object.defineProperty(this, ERROR_BRAND, { value: true });
  }
}

/** An error response of the service, or of a proxy. */
export class ProblemError extends BookingsError {
  override readonly name: ProblemErrorName = 'ProblemError';
  readonly problem: Problem;
  /** The HTTP status, 400 to 599. */
  readonly status: number;
  /** `X-Request-Id`, which the service also logs. */
  readonly requestId: string | undefined;
  /** `Retry-After` in seconds. */
  readonly retryAfter: number | undefined;

  constructor({ problem, status, requestId, retryAfter }: ProblemResponse, advice = adviceFor(status)) {
    const reference = requestId === undefined ? `${status}` : `${status}, request ${requestId}`;
    super(`${problem.detail.replace(/\.$/, '')}. ${advice} (${reference})`);
    this.problem = problem;
    this.status = status;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

/** 409: the slot overlaps another booking's. Nothing was booked. */
export class SlotTakenError extends ProblemError {
  override readonly name = 'SlotTakenError';
  /** One of the booked slots that overlap the requested one, if the response has it. */
  readonly conflictingSlot: SlotDto | undefined;

  constructor(response: ProblemResponse) {
    super(response, 'Choose another slot; the same one will be rejected again.');
    this.conflictingSlot = response.problem.conflicting_slot;
  }
}

/** 422: an earlier create had this idempotency key and another payload. Nothing was booked. */
export class IdempotencyKeyReusedError extends ProblemError {
  override readonly name = 'IdempotencyKeyReusedError';

  constructor(response: ProblemResponse) {
    super(response, 'Use a new idempotencyKey for a new payload, or send the first payload again.');
  }
}

/** 422: the payload is not a valid booking. Nothing was booked. */
export class InvalidBookingError extends ProblemError {
  override readonly name = 'InvalidBookingError';
  /** Faults in the payload, at most 20 from the service; may be empty. */
  readonly errors: readonly FieldErrorDto[];

  constructor(response: ProblemResponse) {
    const errors = response.problem.errors ?? [];
    super(response, adviceToCorrect('payload', errors));
    this.errors = errors;
  }
}

/** 400: a query parameter (such as a cursor), a header or the syntax of the body is invalid. */
export class InvalidRequestError extends ProblemError {
  override readonly name = 'InvalidRequestError';

  constructor(response: ProblemResponse) {
    super(response, adviceToCorrect('request', response.problem.errors ?? []));
  }
}

/** 401: the token is missing or invalid. This attempt had no effect. */
export class UnauthenticatedError extends ProblemError {
  override readonly name = 'UnauthenticatedError';
}

/** 403: the token lacks the scope for this operation. This attempt had no effect. */
export class ForbiddenError extends ProblemError {
  override readonly name = 'ForbiddenError';

  constructor(response: ProblemResponse) {
    super(response, 'Use a token that has this scope.');
  }
}

/** 404: there is no booking with this id. */
export class BookingNotFoundError extends ProblemError {
  override readonly name = 'BookingNotFoundError';

  constructor(response: ProblemResponse) {
    super(response, 'Check the id; an operator may have deleted the booking.');
  }
}

/** 429: the caller has reached its rate limit. This attempt had no effect. */
export class RateLimitedError extends ProblemError {
  override readonly name = 'RateLimitedError';
}

/** 500: the service failed, and logged the cause with `requestId`. The outcome of a create is unknown. */
export class InternalError extends ProblemError {
  override readonly name = 'InternalError';
}

/** 503: the service is unavailable. The outcome of a create is unknown. */
export class UnavailableError extends ProblemError {
  override readonly name = 'UnavailableError';
}

/**
 * A redirect, a response that is beyond 8 MiB or cannot be read, or a success that breaks the contract. The outcome of
 * a create is unknown.
 */
export class UnexpectedResponseError extends BookingsError {
  override readonly name = 'UnexpectedResponseError';
  readonly status: number;
  readonly requestId: string | undefined;

  constructor(what: string, status: number, requestId: string | undefined, options?: { cause: unknown }) {
    super(
      `${what} (status ${status}). Check that baseUrl leads to a booking service and no proxy changes its responses.`,
      options,
    );
    this.status = status;
    this.requestId = requestId;
  }
}

/** No complete response arrived; `cause` has the reason. The outcome of a create is unknown. */
export class ConnectionError extends BookingsError {
  override readonly name = 'ConnectionError';
}

/** No complete response arrived within `timeout`. The outcome of a create is unknown. */
export class TimeoutError extends BookingsError {
  override readonly name = 'TimeoutError';
}

/** Every kind of `BookingsError` that a call rejects with, discriminated by `name`. */
export type AnyBookingsError =
  | SlotTakenError
  | IdempotencyKeyReusedError
  | InvalidBookingError
  | InvalidRequestError
  | UnauthenticatedError
  | ForbiddenError
  | BookingNotFoundError
  | RateLimitedError
  | InternalError
  | UnavailableError
  | (ProblemError & { readonly name: 'ProblemError' })
  | UnexpectedResponseError
  | ConnectionError
  | TimeoutError;

/** Whether an error is a `BookingsError`, of this or another copy of the package. */
export function isBookingsError(error: unknown): error is AnyBookingsError {
  return (Object(error) as { [ERROR_BRAND]?: unknown })[ERROR_BRAND] === true;
}
