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

/** The key belongs to a create with another payload. */
export class KeyReused extends ExpectedError {}

/** The cursor is damaged, or belongs to another filter or order. */
export class InvalidCursor extends ExpectedError {}

/** The store cannot serve the request now. A booking may still have been kept: a retry with the same key finds out. */
export class StoreUnavailable extends ExpectedError {}

/** The store has no room for the booking. Nothing was kept. */
export class StoreFull extends StoreUnavailable {}
