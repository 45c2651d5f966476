import { adviceFor, adviceToCorrect } from './advice.js';
import type { Problem, ProblemResponse } from './problem.js';
import type { FieldErrorDto, SlotDto } from './types.js';

export type { Problem, ProblemResponse } from './problem.js';

type ProblemErrorName =
  | 'ProblemError'
  | 'SlotTakenError'
  | 'IdempotencyKeyReusedError'
  | 'InvalidBookingError'
  | 'InvalidRequestError'
  | 'UnauthenticatedError'
  | 'ForbiddenError'
  | 'BookingNotFoundError'
  | 'RateLimitedError'
  | 'InternalError'
  | 'UnavailableError';

type BookingsErrorName =
  | 'BookingsError'
  | ProblemErrorName
  | 'UnexpectedResponseError'
  | 'ConnectionError'
  | 'TimeoutError';

/** Marks the errors of every copy of this package; `instanceof` knows those of one. */
const MARK = Symbol.for('@booking-service/client');

/** Any failure of a call but invalid arguments (`TypeError`) and aborts. */
export class BookingsError extends Error {
  override readonly name: BookingsErrorName = 'BookingsError';
  /**
   * The key of the create that failed. Where the outcome is open, a create with this key and the same
   * payload finds out: it returns the booking that was made, or makes it. Absent for other calls.
   */
  idempotencyKey?: string;

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    Object.defineProperty(this, MARK, { value: true });
  }
}

/** The service, or something before it, responded with an error. */
export class ProblemError extends BookingsError {
  override readonly name: ProblemErrorName = 'ProblemError';
  readonly problem: Problem;
  /** The HTTP status, 400 to 599. */
  readonly status: number;
  /** The response's `X-Request-Id`, under which the service's log has the request. */
  readonly requestId: string | undefined;
  /** Seconds after which the service allows a retry (`Retry-After`). */
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

/** 409: another booking holds a slot that overlaps the requested one. Nothing was booked. */
export class SlotTakenError extends ProblemError {
  override readonly name = 'SlotTakenError';
  /** A slot that is held and overlaps; there may be more of them. */
  readonly conflictingSlot: SlotDto | undefined;

  constructor(response: ProblemResponse) {
    super(response, 'Choose another slot; the same one will be rejected again.');
    this.conflictingSlot = response.problem.conflicting_slot;
  }
}

/** 422: an earlier create used this idempotency key with another payload. Nothing was booked now. */
export class IdempotencyKeyReusedError extends ProblemError {
  override readonly name = 'IdempotencyKeyReusedError';

  constructor(response: ProblemResponse) {
    super(response, 'Use a new idempotencyKey for a new payload, or send the first payload again.');
  }
}

/** 422: the payload is not a valid booking. Nothing was booked. */
export class InvalidBookingError extends ProblemError {
  override readonly name = 'InvalidBookingError';
  /** The members at fault; empty if the service named none. */
  readonly errors: readonly FieldErrorDto[];

  constructor(response: ProblemResponse) {
    const errors = response.problem.errors ?? [];
    super(response, adviceToCorrect('payload', errors));
    this.errors = errors;
  }
}

/** 400: a query parameter, a cursor, a header or the body cannot be understood. */
export class InvalidRequestError extends ProblemError {
  override readonly name = 'InvalidRequestError';

  constructor(response: ProblemResponse) {
    super(response, adviceToCorrect('request', response.problem.errors ?? []));
  }
}

/** 401: the service requires a token, and `token` gave none or one that is not valid there. Nothing was done. */
export class UnauthenticatedError extends ProblemError {
  override readonly name = 'UnauthenticatedError';
}

/** 403: the token is valid, but lacks the scope for this operation. Nothing was done. */
export class ForbiddenError extends ProblemError {
  override readonly name = 'ForbiddenError';

  constructor(response: ProblemResponse) {
    super(response, 'Use a token that has this scope.');
  }
}

/** 404: no booking has this id. */
export class BookingNotFoundError extends ProblemError {
  override readonly name = 'BookingNotFoundError';

  constructor(response: ProblemResponse) {
    super(response, 'Check the id; an operator may have deleted the booking.');
  }
}

/** 429: the caller has used up its rate limit. Nothing was done; `retryAfter` is in seconds. */
export class RateLimitedError extends ProblemError {
  override readonly name = 'RateLimitedError';
}

/** 500: the service failed; its log has the cause under `requestId`. After a create the outcome is open. */
export class InternalError extends ProblemError {
  override readonly name = 'InternalError';
}

/** 503: the service cannot do this now. After a create the outcome is open, see `idempotencyKey`. */
export class UnavailableError extends ProblemError {
  override readonly name = 'UnavailableError';
}

/** A success whose body is not what the contract says. After a create the booking may have been made. */
export class UnexpectedResponseError extends BookingsError {
  override readonly name = 'UnexpectedResponseError';
  readonly status: number;
  readonly requestId: string | undefined;

  constructor(what: string, status: number, requestId: string | undefined) {
    super(
      `${what} (status ${status}). Check that baseUrl leads to a booking service and no proxy changes its responses.`,
    );
    this.status = status;
    this.requestId = requestId;
  }
}

/** No response, or only a part of one; `cause` says why. After a create the outcome is open. */
export class ConnectionError extends BookingsError {
  override readonly name = 'ConnectionError';
}

/** No complete response in time. After a create the outcome is open, see `idempotencyKey`. */
export class TimeoutError extends BookingsError {
  override readonly name = 'TimeoutError';
}

/** Every error of the client, discriminated by `name`: a `switch` over it narrows to the members of each. */
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

/** Whether an error is one of the client's, discriminated by its `name`; also where another copy of this package made it. */
export function isBookingsError(error: unknown): error is AnyBookingsError {
  return (Object(error) as { [MARK]?: unknown })[MARK] === true;
}
