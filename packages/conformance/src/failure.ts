import type { OutgoingRequest } from './exchange.js';

/** What a check found wrong: thrown to end it. */
export class Failure extends Error {
  override readonly name: string = 'Failure';

  constructor(
    readonly expected: string,
    readonly got: string,
    /** The request that had this response, where it was one. */
    readonly request?: OutgoingRequest,
  ) {
    super(`expected ${expected}, got ${got}`);
  }
}

/** No HTTP response came back, or none within the time. */
export class NoResponse extends Failure {
  override readonly name = 'NoResponse';

  constructor(
    readonly reason: string,
    request: OutgoingRequest,
    /** Whether the service does not accept connections. */
    readonly isRefused = false,
  ) {
    super('a response', `none: ${reason}`, request);
  }
}

/** The check cannot see whether the statement is kept: thrown to end it. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}
