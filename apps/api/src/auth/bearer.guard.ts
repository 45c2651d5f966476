import type { IncomingMessage } from 'node:http';
import { operations, type Scope } from '@booking-service/contracts';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { isUnderV1, operationAt, routeOf } from '../http/routes.js';
import { Problem } from '../http/problem.js';
import { RETRY_AFTER_SECONDS } from '../http/expected-error.js';
import type { CallersRequest } from '../http/request-head.js';
import { IssuerUnavailable, type TokenHolder, TokenRejected } from './token-holder.js';
import { TokenVerifier } from './token-verifier.js';

/** Admits a request to /v1 only with a token that is valid for its operation, before its body is read. */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(private readonly tokens: TokenVerifier) {}

  /**
   * Sets the caller of a request. A path without an operation takes any valid token.
   *
   * @throws Problem `unauthenticated`, `forbidden`, `unavailable`
   */
  async canActivate(context: ExecutionContext): Promise<true> {
    const request = context.switchToHttp().getRequest<CallersRequest>();
    const { method } = request;
    const route = routeOf(request)!;
    // Browsers send OPTIONS without a token (Fetch, "CORS-preflight request").
    if (!isUnderV1(route) || method === 'OPTIONS') return true;
    const caller = await this.callerOf(request);
    // Set for a rejected request too: its log line names the caller.
    request.caller = caller;
    const operation = operationAt(route, method === 'HEAD' ? 'GET' : method);
    const scope = operation && operations[operation].scope;
    if (scope !== undefined && !caller.scopes.has(scope)) throw forbidden(scope, caller);
    return true;
  }

  private async callerOf(request: Request): Promise<TokenHolder> {
    try {
      return await this.tokens.verify(bearerToken(request));
    } catch (error) {
      if (error instanceof TokenRejected) throw unauthenticated(error.message, 'invalid_token');
      if (error instanceof IssuerUnavailable) {
        throw new Problem('unavailable', error.message, {
          headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
          cause: error.cause,
        });
      }
      throw error;
    }
  }
}

// The scheme in any case (RFC 9110 §11.1), then a token as RFC 6750 §2.1 has it.
const CREDENTIALS = /^Bearer +(?<token>[A-Za-z0-9._~+/-]+=*)$/i;

/**
 * The bearer token of a request (RFC 6750 §2.1). It is taken from the header alone: a token in a URL
 * would end up in logs.
 *
 * @throws Problem `unauthenticated`
 */
export function bearerToken({ headersDistinct }: IncomingMessage): string {
  // Not `headers`, where the second of two is dropped silently.
  const [credentials = '', ...others] = headersDistinct['authorization'] ?? [];
  const token = CREDENTIALS.exec(credentials)?.groups?.['token'];
  if (token !== undefined && others.length === 0) return token;
  if (others.length > 0 || /^Bearer(?: |$)/i.test(credentials)) {
    throw unauthenticated(
      'The request needs exactly one `Authorization: Bearer` header with a token.',
      'invalid_request',
    );
  }
  throw unauthenticated();
}

/** @param error the code of RFC 6750 §3.1; none for a request without credentials */
export function unauthenticated(detail?: string, error?: 'invalid_request' | 'invalid_token'): Problem {
  return new Problem('unauthenticated', detail, { headers: challenge(error === undefined ? {} : { error }) });
}

export function forbidden(scope: Scope, caller: TokenHolder): Problem {
  const found = [...caller.scopes].map((name) => `\`${name}\``).join(', ') || 'no scope of this service';
  return new Problem('forbidden', `The operation requires \`${scope}\`. The token has ${found}.`, {
    headers: challenge({ error: 'insufficient_scope', scope }),
  });
}

/** @see RFC 6750 §3 */
function challenge(parameters: Record<string, string>): { 'WWW-Authenticate': string } {
  const all = Object.entries({ realm: 'bookings', ...parameters });
  return { 'WWW-Authenticate': `Bearer ${all.map(([name, value]) => `${name}="${value}"`).join(', ')}` };
}
