import { createHash } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import ipaddr from 'ipaddr.js';
import { isUnderV1 } from '../http/routes.js';
import { Problem } from '../http/problem.js';
import { RATE_LIMIT_SETTINGS, RateLimiter, type RateLimitSettings } from './rate-limiter.js';

/** A request, and its caller if the service requires tokens. */
type CallersRequest = Request & { caller?: { id: string } };

/** Bits of an IPv6 address that identify its network; one customer can choose the rest at will. */
const NETWORK_BITS = 64;

/**
 * Rejects callers with too many requests, before the query, the key or the body is read. Health, metrics and
 * documentation, outside of /v1, are not limited: monitoring must not be rejected.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly policy: string;

  constructor(
    private readonly limiter: RateLimiter,
    @Inject(RATE_LIMIT_SETTINGS) { requests, window }: RateLimitSettings,
  ) {
    this.policy = `"caller";q=${requests};w=${window}`;
  }

  /** @throws Problem `rate-limited` */
  async canActivate(context: ExecutionContext): Promise<true> {
    const http = context.switchToHttp();
    const request = http.getRequest<CallersRequest>();
    if (isUnderV1(request.path)) await this.admit(request, http.getResponse<Response>());
    return true;
  }

  /**
   * Counts a request and says so in the response (draft-ietf-httpapi-ratelimit-headers, sections 3 and 4).
   *
   * @throws Problem `rate-limited`
   */
  async admit(request: CallersRequest, response: Response): Promise<void> {
    const allowance = await this.limiter.count(callerOf(request));
    if (allowance === undefined) return;
    const { isAllowed, remaining, reset } = allowance;
    response.setHeader('RateLimit-Policy', this.policy);
    response.setHeader('RateLimit', `"caller";r=${remaining};t=${reset}`);
    if (!isAllowed) throw rateLimited(reset);
  }
}

/** @param retryAfter whole seconds */
export function rateLimited(retryAfter: number): Problem {
  return new Problem('rate-limited', undefined, { headers: { 'Retry-After': String(retryAfter) } });
}

/**
 * Who is counted: the caller of the token if tokens are required, else the network of the address. The address is that
 * of the connection; behind `TRUST_PROXY` proxies, the one that the outermost of them saw.
 *
 * @returns a digest, which identifies nobody
 */
function callerOf({ caller, ip = '', socket }: CallersRequest): string {
  const name =
    caller === undefined
      ? `address ${networkOf(ip) ?? networkOf(socket.remoteAddress ?? '') ?? ''}`
      : `caller ${caller.id}`;
  return createHash('sha256').update(name).digest('base64url');
}

/**
 * An IPv4 address, or the first 64 bits of an IPv6 address, with or without a port: some proxies write
 * `address:port` and `[address]:port` into X-Forwarded-For.
 *
 * @returns undefined if it is not an address, such as the names of RFC 7239 §6
 */
export function networkOf(text: string): string | undefined {
  const { bracketed, plain } = /^(?:\[(?<bracketed>.+)\]|(?<plain>[\d.]+))(?::\d+)?$/.exec(text)?.groups ?? {};
  const address = bracketed ?? plain ?? text;
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return address;
  if (!ipaddr.IPv6.isValid(address)) return undefined;
  const parsed = ipaddr.IPv6.parse(address);
  return parsed.isIPv4MappedAddress()
    ? parsed.toIPv4Address().toString()
    : ipaddr.IPv6.networkAddressFromCIDR(`${withoutZone(address)}/${NETWORK_BITS}`).toString();
}

/** A zone (`%eth0`, RFC 4007 §11) is this machine's name for a link, not part of the network. */
function withoutZone(address: string): string {
  return address.replace(/%.*$/, '');
}
