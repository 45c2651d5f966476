import { problemDetails } from '@booking-service/contracts';
import { ExpectedError } from '../http/expected-error.js';

// Why the domain rejects a request. It knows nothing of HTTP.

export class BookingNotFound extends ExpectedError {
  constructor() {
    super(problemDetails['booking-not-found']);
  }
}

export class InvalidCursor extends ExpectedError {
  constructor() {
    super('The cursor is damaged, or was made for another filter or order. Start again without it.');
  }
}

/** The store cannot serve the request now. Whether a create was carried out is open: retry it with the same key. */
export class StoreUnavailable extends ExpectedError {
  /** @param retryAfter seconds to wait before a retry */
  constructor(
    message: string,
    readonly retryAfter: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
