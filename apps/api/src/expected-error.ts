/**
 * An error that is an answer: the caller was told no, and nothing is wrong with the service. It has no
 * stack, because nobody reads it and collecting two of them is a tenth of a refused create
 * (docs/performance.md).
 */
export abstract class ExpectedError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, options);
    Error.stackTraceLimit = stackTraceLimit;
  }
}
