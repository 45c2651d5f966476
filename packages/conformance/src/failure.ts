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
  ) {
    super('a response', `none: ${reason}`, request);
  }
}

/** The service no longer accepts connections. `request` is the last one before that, which may be why. */
export class ServiceGone extends Failure {
  override readonly name = 'ServiceGone';

  constructor(reason: string, before: OutgoingRequest) {
    super('a service that accepts connections', `none after this request: ${reason}`, before);
  }
}

/** The check cannot see whether the statement is kept: thrown to end it. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}
