import type { Scope } from '@booking-service/contracts';
import { ExpectedError } from '../http/expected-error.js';
import type { Caller } from '../http/request-head.js';

/** The holder of a token, and what it may do. */
export interface TokenHolder extends Caller {
  readonly scopes: ReadonlySet<Scope>;
}

/** The token is not valid here. The message is for its sender and contains nothing of the token. */
export class TokenRejected extends ExpectedError {
  override readonly name = 'TokenRejected';
}

/** The token cannot be verified now; `cause` says why. */
export class IssuerUnavailable extends ExpectedError {
  override readonly name = 'IssuerUnavailable';
}
