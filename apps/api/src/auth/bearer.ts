import type { IncomingMessage } from 'node:http';
import type { Scope } from '@booking-service/contracts';
import { Problem } from '../http/problem.js';

// The scheme in any case (RFC 9110 §11.1), then a token as RFC 6750 §2.1 has it.
const CREDENTIALS = /^Bearer +(?<token>[A-Za-z0-9._~+/-]+=*)$/i;

/**
 * The bearer token of a request (RFC 6750 §2.1). It is taken from the header alone: a token in a URL
 * would end in logs.
 *
 * @throws Problem `unauthenticated`
 */
export function bearerToken({ headersDistinct }: IncomingMessage): string {
  // Not `headers`, where the second of two is dropped in silence.
  const [credentials = '', ...others] = headersDistinct['authorization'] ?? [];
  const token = CREDENTIALS.exec(credentials)?.groups?.['token'];
  if (token !== undefined && others.length === 0) return token;
  if (others.length > 0 || /^Bearer(?: |$)/i.test(credentials)) {
    throw unauthenticated('The request has not exactly one `Authorization: Bearer` and a token.', 'invalid_request');
  }
  throw unauthenticated();
}

/** @param error why, as RFC 6750 §3.1 has it; none where the request did not try */
export function unauthenticated(detail?: string, error?: 'invalid_request' | 'invalid_token'): Problem {
  return new Problem('unauthenticated', detail, { headers: challenge(error === undefined ? {} : { error }) });
}

export function forbidden(scope: Scope): Problem {
  return new Problem('forbidden', undefined, {
    headers: challenge({ error: 'insufficient_scope', scope }),
  });
}

/** @see RFC 6750 §3 */
function challenge(parameters: Record<string, string>): { 'WWW-Authenticate': string } {
  const all = Object.entries({ realm: 'bookings', ...parameters });
  return { 'WWW-Authenticate': `Bearer ${all.map(([name, value]) => `${name}="${value}"`).join(', ')}` };
}
