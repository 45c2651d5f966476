import {
  type FaultDto,
  type ProblemDto,
  type ProblemName,
  problemType,
  problemTypes,
} from '@booking-service/contracts';
import { HttpException } from '@nestjs/common';
import { toSlotDto } from '../bookings/booking.js';
import {
  BookingNotFound,
  IdempotencyKeyReused,
  InvalidCursor,
  SlotTaken,
  StoreUnavailable,
} from '../bookings/booking-errors.js';

interface ProblemExtras {
  errors?: FaultDto[];
  /** Members of the problem beside those of RFC 9457. */
  members?: Record<string, unknown>;
  headers?: Record<string, string>;
  cause?: unknown;
}

/** An answer that is an error: one problem type, what is wrong this time, and the headers that go with it. */
export class Problem extends Error {
  override readonly name = 'Problem';

  constructor(
    readonly type: ProblemName,
    readonly detail: string,
    readonly extras: ProblemExtras = {},
  ) {
    super(detail, { cause: extras.cause });
  }

  get status(): number {
    return problemTypes[this.type].status;
  }

  /** @param instance the path of the request */
  toDto(instance: string): ProblemDto {
    const { title, status } = problemTypes[this.type];
    const { errors, members } = this.extras;
    return {
      type: problemType(this.type),
      title,
      status,
      detail: this.detail,
      instance,
      ...(errors !== undefined && { errors }),
      ...members,
    };
  }
}

/** Every error, from wherever it was thrown, as the one problem that it is. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof SlotTaken) {
    return new Problem('slot-taken', error.message, { members: { conflicting_slot: toSlotDto(error.held) } });
  }
  if (error instanceof IdempotencyKeyReused) return new Problem('idempotency-key-reused', error.message);
  if (error instanceof BookingNotFound) return new Problem('booking-not-found', error.message);
  if (error instanceof InvalidCursor) {
    return new Problem('invalid-request', error.message, {
      errors: [{ pointer: '#/cursor', detail: 'is not a cursor of this list' }],
    });
  }
  if (error instanceof StoreUnavailable) {
    return new Problem('unavailable', error.message, {
      headers: { 'Retry-After': String(error.retryAfter) },
      cause: error.cause,
    });
  }
  // What Nest and Express throw themselves: an unknown path, a path that cannot be decoded.
  if (error instanceof HttpException && error.getStatus() === 404) {
    return new Problem('route-not-found', 'There is nothing at this path. The operations are under /v1/bookings.');
  }
  if (error instanceof HttpException && error.getStatus() === 400) {
    return new Problem('invalid-request', 'The path cannot be decoded: an escape in it is not UTF-8.');
  }
  return new Problem('internal', 'The service failed. The log has the cause under the id of this request.', {
    cause: error,
  });
}
