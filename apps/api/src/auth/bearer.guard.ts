import { operations, type Scope } from '@booking-service/contracts';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { RETRY_AFTER_SECONDS } from '../expected-error.js';
import { Problem } from '../http/problem.js';
import { bearerToken, forbidden, unauthenticated } from './bearer.js';
import type { GuardedRequest } from './caller-id.js';
import { type Caller, IssuerUnavailable, TokenRefused, TokenVerifier } from './token-verifier.js';

/** Every route under this needs a token, also one that is added and forgotten here. */
const GUARDED = '/v1/';

/** The scope that an operation needs, by its route as Express has it. */
const scopeOf = new Map<string, Scope>(
  Object.values(operations).map(({ method, path, scope }) => [`${method} ${path.replace(/\{(\w+)\}/, ':$1')}`, scope]),
);

/** Lets a request to an operation pass with a token that is good for it, before any of its body is read. */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(private readonly tokens: TokenVerifier) {}

  /** @throws Problem `unauthenticated`, `forbidden`, `unavailable` */
  async canActivate(context: ExecutionContext): Promise<true> {
    const request: GuardedRequest = context.switchToHttp().getRequest<Request>();
    const { path } = request.route as { path: string };
    // OPTIONS is open because browsers ask it without a token (Fetch, "CORS-preflight request").
    if (!path.startsWith(GUARDED) || request.method === 'OPTIONS') return true;
    const caller = await this.callerOf(request);
    const scope = scopeOf.get(`${request.method === 'HEAD' ? 'GET' : request.method} ${path}`);
    if (scope !== undefined && !caller.scopes.has(scope)) throw forbidden(scope);
    request.caller = caller;
    return true;
  }

  private async callerOf(request: Request): Promise<Caller> {
    try {
      return await this.tokens.verify(bearerToken(request));
    } catch (error) {
      if (error instanceof TokenRefused) throw unauthenticated(error.message, 'invalid_token');
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
