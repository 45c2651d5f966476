/**
 * Seconds of `Retry-After` where another try may succeed at once: on another replica, on a restarted one, or after
 * one new connection.
 */
export const RETRY_AFTER_SECONDS = 1;

/**
 * An expected outcome: a request is rejected, and nothing is wrong with the service. It has no stack, because
 * nobody reads it and collecting two of them is a tenth of a rejected create (docs/performance.md).
 */
export abstract class ExpectedError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, options);
    Error.stackTraceLimit = stackTraceLimit;
  }
}
