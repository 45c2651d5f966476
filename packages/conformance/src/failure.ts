import type { OutgoingRequest } from './exchange.js';

/** The service breaks a check's statement. */
export class Failure extends Error {
  override readonly name: string = 'Failure';

  constructor(
    readonly expected: string,
    readonly got: string,
    /** The request, if a single one caused the failure. */
    readonly request?: OutgoingRequest,
  ) {
    super(`expected ${expected}, got ${got}`);
  }
}

/** No complete response arrived in time. */
export class NoResponse extends Failure {
  override readonly name = 'NoResponse';

  constructor(
    readonly reason: string,
    request: OutgoingRequest,
    readonly isRefused = false,
  ) {
    super('a response', `none: ${reason}`, request);
  }
}

/** The check cannot decide whether its statement is true of the service. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}
