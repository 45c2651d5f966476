import { Problem } from 'nest-http';
import { toSlotDto } from './booking.js';
import { BookingNotFound, IdempotencyKeyReused, InvalidCursor, SlotTaken, StoreUnavailable } from './booking.errors.js';

type ErrorClass<Thrown> = abstract new (...given: never[]) => Thrown;

/** A row of the table: what HTTP makes of the errors of one class. */
function row<Thrown extends Error>(type: ErrorClass<Thrown>, toProblem: (error: Thrown) => Problem) {
  return [type, toProblem] as [unknown, (error: Error) => Problem];
}

const problems = new Map([
  row(SlotTaken, ({ message, held }) => {
    return new Problem('slot-taken', message, { members: { conflicting_slot: toSlotDto(held) } });
  }),
  row(IdempotencyKeyReused, ({ message }) => new Problem('idempotency-key-reused', message)),
  row(BookingNotFound, ({ message }) => new Problem('booking-not-found', message)),
  row(InvalidCursor, ({ message }) => {
    const errors = [{ pointer: '#/cursor', detail: 'is not a cursor of this list' }];
    return new Problem('invalid-request', message, { errors });
  }),
  row(StoreUnavailable, ({ message, retryAfter, cause }) => {
    return new Problem('unavailable', message, { headers: { 'Retry-After': String(retryAfter) }, cause });
  }),
]);

/** What HTTP makes of an error of the domain; undefined for every other one. */
export function bookingProblem(error: unknown): Problem | undefined {
  return error instanceof Error ? problems.get(error.constructor)?.(error) : undefined;
}
