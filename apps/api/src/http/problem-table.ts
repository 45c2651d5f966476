import { Problem } from './problem.js';
import { toSlotDto } from '../bookings/booking.js';
import {
  BookingNotFound,
  IdempotencyKeyReused,
  InvalidCursor,
  SlotTaken,
  StoreUnavailable,
} from '../bookings/booking.errors.js';

/** What HTTP makes of an error of the domain; undefined for what is none. */
export function bookingProblem(error: unknown): Problem | undefined {
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
  return undefined;
}
