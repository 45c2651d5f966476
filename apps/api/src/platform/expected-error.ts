/** An error for an expected outcome. It has no stack: capturing one would be much of the cost of a rejected request. */
export abstract class ExpectedError extends Error {
  override readonly name: string = this.constructor.name;

  constructor(message?: string, options?: ErrorOptions) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, options);
    Error.stackTraceLimit = stackTraceLimit;
  }
}
