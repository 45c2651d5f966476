import type { OutgoingRequest } from './exchange.js';

/** What a check found wrong: thrown to end it. */
export class Failure extends Error {
  override readonly name: string = 'Failure';

  constructor(
    readonly expected: string,
    readonly got: string,
    /** The request that was answered so, where it was one. */
    readonly request?: OutgoingRequest,
  ) {
    super(`expected ${expected}, got ${got}`);
  }
}

/** No HTTP answer came back, or none within the time. */
export class NoAnswer extends Failure {
  override readonly name = 'NoAnswer';

  constructor(
    readonly reason: string,
    request: OutgoingRequest,
  ) {
    super('an answer', `none: ${reason}`, request);
  }
}

/** The check cannot see whether the statement is kept: thrown to end it. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}
