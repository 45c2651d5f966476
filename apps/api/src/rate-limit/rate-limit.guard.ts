import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { callerOf } from './caller-of.js';
import type { RateLimitSettings } from './rate-limit-settings.js';
import { rateLimited } from './rate-limited.js';
import { RateLimiter } from './rate-limiter.js';

/** Health, metrics and documentation are asked by machines that must not be turned away. */
const LIMITED = '/v1/';

/** Refuses who asks too often, before the query, the key or the body is read. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly policy: string;

  constructor(
    private readonly limiter: RateLimiter,
    { requests, window }: RateLimitSettings,
  ) {
    this.policy = `"caller";q=${requests};w=${window}`;
  }

  /** @throws Problem `rate-limited` */
  async canActivate(context: ExecutionContext): Promise<true> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (!request.path.startsWith(LIMITED)) return true;
    const allowance = await this.limiter.count(callerOf(request));
    if (allowance === undefined) return true;
    const { isAllowed, remaining, reset } = allowance;
    // draft-ietf-httpapi-ratelimit-headers, sections 3 and 4.
    const response = http.getResponse<Response>();
    response.setHeader('RateLimit-Policy', this.policy);
    response.setHeader('RateLimit', `"caller";r=${remaining};t=${reset}`);
    if (!isAllowed) throw rateLimited(reset);
    return true;
  }
}
