import type { Scope } from '@booking-service/contracts';
import { Problem } from '../../edge/problem.js';
import type { Caller } from '../../edge/request.js';

/** The holder of a token, and what it may do. */
export interface TokenHolder extends Caller {
  readonly scopes: ReadonlySet<Scope>;
}

/**
 * The request has no token that is accepted.
 *
 * @param error the code of RFC 6750 §3.1; none for a request without credentials
 */
export function unauthenticated(detail?: string, error?: 'invalid_request' | 'invalid_token'): Problem {
  return new Problem('unauthenticated', detail, { headers: challenge(error === undefined ? {} : { error }) });
}

/** The token is not valid here. @param detail for its sender; it contains nothing of the token */
export function tokenRejected(detail: string): Problem {
  return unauthenticated(detail, 'invalid_token');
}

/** The token is valid, but not for the operation. */
export function forbidden(scope: Scope, holder: TokenHolder): Problem {
  const found = [...holder.scopes].map((name) => `\`${name}\``).join(', ') || 'no scope of this service';
  return new Problem('forbidden', `The operation requires \`${scope}\`. The token has ${found}.`, {
    headers: challenge({ error: 'insufficient_scope', scope }),
  });
}

/** @see RFC 6750 §3 */
function challenge(parameters: Record<string, string>): { 'WWW-Authenticate': string } {
  const all = Object.entries({ realm: 'bookings', ...parameters });
  return { 'WWW-Authenticate': `Bearer ${all.map(([name, value]) => `${name}="${value}"`).join(', ')}` };
}
