import type { FieldErrorDto } from '@booking-service/contracts';
import { ExpectedError } from '../../platform/expected-error.js';
import type { Slot } from './booking.js';

/** The payload does not match the deployment's own schema. */
export class InvalidBooking extends ExpectedError {
  constructor(readonly errors: FieldErrorDto[]) {
    super();
  }
}

export class BookingNotFound extends ExpectedError {}

export class SlotTaken extends ExpectedError {
  constructor(readonly held: Slot) {
    super();
  }
}

/** The idempotency key belongs to an earlier create with another payload. */
export class KeyReused extends ExpectedError {}

/** The cursor is damaged, or belongs to another filter or order. */
export class InvalidCursor extends ExpectedError {}

/**
 * The store cannot serve the request now. A create may still have kept its booking: a retry with the same idempotency
 * key finds out.
 */
export class StoreUnavailable extends ExpectedError {}

/** The store has no room for the booking. Nothing was kept. */
export class StoreFull extends StoreUnavailable {}
