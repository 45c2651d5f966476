import { problemDetails } from '@booking-service/contracts';
import { ExpectedError } from '../http/expected-error.js';

/** Why the domain rejects a request. It knows nothing of HTTP. */
export abstract class BookingError extends ExpectedError {
  override readonly name: string = this.constructor.name;
}

export class BookingNotFound extends BookingError {
  constructor() {
    super(problemDetails['booking-not-found']);
  }
}

export class InvalidCursor extends BookingError {
  constructor() {
    super('The cursor is damaged, or was made for another filter or order. Start again without it.');
  }
}

/** The store cannot serve the request now. Whether a create was carried out is open: retry it with the same key. */
export class StoreUnavailable extends BookingError {
  /** @param retryAfter seconds to wait before a retry */
  constructor(
    message: string,
    readonly retryAfter: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
