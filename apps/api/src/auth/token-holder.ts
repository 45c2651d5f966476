import type { Scope } from '@booking-service/contracts';
import { ExpectedError } from '../http/expected-error.js';
import type { Caller } from '../http/request-head.js';

/** The holder of a token, and what it may do. */
export interface TokenHolder extends Caller {
  readonly scopes: ReadonlySet<Scope>;
  /** Where scopes were looked for, and which of this service's were found: a sentence with nothing else of the token. */
  describeScopes(): string;
}

/** Names as a sentence lists them. */
export function listOf(names: Iterable<string>): string {
  return [...names].map((name) => `\`${name}\``).join(', ');
}

/** The token is not valid here. The message is for its sender and contains nothing of the token. */
export class TokenRejected extends ExpectedError {
  override readonly name = 'TokenRejected';
}

/** The token cannot be verified now; `cause` says why. */
export class IssuerUnavailable extends ExpectedError {
  override readonly name = 'IssuerUnavailable';
}
