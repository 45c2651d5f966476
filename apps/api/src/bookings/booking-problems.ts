import { invalidBooking, Problem, unavailable } from '../edge/problem.js';
import {
  BookingNotFound,
  InvalidBooking,
  InvalidCursor,
  KeyReused,
  SlotTaken,
  StoreFull,
  StoreUnavailable,
} from './domain/booking.errors.js';
import { toSlotDto } from './domain/booking.js';

const INVALID_CURSOR = 'The cursor is damaged, or was made for another filter or order. Start again without it.';

/** The problem that tells a client of an error of the domain; undefined for any other error. */
export function problemOfBooking(error: unknown): Problem | undefined {
  if (error instanceof SlotTaken) {
    return new Problem('slot-taken', undefined, { members: { conflicting_slot: toSlotDto(error.held) } });
  }
  if (error instanceof KeyReused) return new Problem('idempotency-key-reused');
  if (error instanceof BookingNotFound) return new Problem('booking-not-found');
  if (error instanceof InvalidBooking) return invalidBooking(error.errors);
  if (error instanceof InvalidCursor) {
    const errors = [{ pointer: '#/cursor', detail: 'is not a cursor of this list' }];
    return new Problem('invalid-request', INVALID_CURSOR, { members: { errors } });
  }
  // No `Retry-After`: only an operator can make room.
  if (error instanceof StoreFull) return new Problem('unavailable', error.message);
  if (error instanceof StoreUnavailable) return unavailable(error.message, error.cause);
  return undefined;
}
