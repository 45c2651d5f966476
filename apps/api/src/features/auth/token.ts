import type { Scope } from '@booking-service/contracts';
import { Problem } from '../../edge/problem.js';
import type { Caller } from '../../edge/request.js';

export interface TokenHolder extends Caller {
  readonly scopes: ReadonlySet<Scope>;
}

/** @param error code of RFC 6750 §3.1; undefined for a request that offers no bearer token */
export function unauthenticated(detail?: string, error?: 'invalid_request' | 'invalid_token'): Problem {
  return new Problem('unauthenticated', detail, { headers: challenge(error === undefined ? {} : { error }) });
}

/** @param detail shown to the client; quotes no part of the token */
export function tokenRejected(detail: string): Problem {
  return unauthenticated(detail, 'invalid_token');
}

export function forbidden(scope: Scope, holder: TokenHolder): Problem {
  const found = [...holder.scopes].map((name) => `\`${name}\``).join(', ') || 'no scope of this service';
  return new Problem('forbidden', `The operation requires \`${scope}\`. The token has ${found}.`, {
    headers: challenge({ error: 'insufficient_scope', scope }),
  });
}

/** The challenge of RFC 6750 §3. */
function challenge(parameters: Record<string, string>): { 'WWW-Authenticate': string } {
  const all = Object.entries({ realm: 'bookings', ...parameters });
  return { 'WWW-Authenticate': `Bearer ${all.map(([name, value]) => `${name}="${value}"`).join(', ')}` };
}
