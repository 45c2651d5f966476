/**
 * Seconds of `Retry-After` where a retry may succeed at once: on another replica, on a restarted one, or on a new
 * connection.
 */
export const RETRY_AFTER_SECONDS = 1;

/**
 * An expected outcome: a request is rejected, and nothing is wrong with the service. It has no stack: none is read, and
 * collecting one is much of the cost of a rejection.
 */
export abstract class ExpectedError extends Error {
  override readonly name: string = this.constructor.name;

  constructor(message: string, options?: ErrorOptions) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, options);
    Error.stackTraceLimit = stackTraceLimit;
  }
}
