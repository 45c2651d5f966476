import { type FieldErrorDto, problemDetails } from '@booking-service/contracts';
import { ExpectedError } from '../../platform/expected-error.js';
import type { Slot } from './booking.js';

/** The payload breaks the schema of the deployment. */
export class InvalidBooking extends ExpectedError {
  constructor(readonly errors: FieldErrorDto[]) {
    super(problemDetails['invalid-booking']);
  }
}

export class BookingNotFound extends ExpectedError {
  constructor() {
    super(problemDetails['booking-not-found']);
  }
}

export class SlotTaken extends ExpectedError {
  constructor(readonly held: Slot) {
    super(problemDetails['slot-taken']);
  }
}

/** The key belongs to a create with another payload. */
export class KeyReused extends ExpectedError {
  constructor() {
    super(problemDetails['idempotency-key-reused']);
  }
}

export class InvalidCursor extends ExpectedError {
  constructor() {
    super('The cursor is damaged, or was made for another filter or order. Start again without it.');
  }
}

/** The store cannot serve the request now. A booking may have been kept: a retry with the key finds out. */
export class StoreUnavailable extends ExpectedError {}

/** The store takes no further booking. Nothing was kept. */
export class StoreFull extends StoreUnavailable {}
