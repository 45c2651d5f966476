import { hash } from 'node:crypto';
import { type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import ipaddr from 'ipaddr.js';
import { accessOf } from '../../edge/operation.js';
import { Problem } from '../../edge/problem.js';
import type { CallersRequest } from '../../edge/request.js';
import type { Moment } from '../../platform/moment.js';

interface RateLimitSettings {
  /** Maximum requests of a caller in a window. */
  readonly limit: number;
  /** Length of a window, which begins with a caller's first request. */
  readonly seconds: number;
}

/** Leading bits of an IPv6 address that identify a customer's network. */
const NETWORK_BITS = 64;

/** Maximum callers whose windows a process keeps, at 200 bytes each. */
const MAX_CALLERS = 100_000;

interface RateWindow {
  requests: number;
  readonly end: Moment;
}

/** Rejects callers with too many requests to this process, before query, `Idempotency-Key` or body are read. */
export class RateLimitGuard implements CanActivate {
  /** Windows by caller, the oldest first. */
  private readonly windows = new Map<string, RateWindow>();

  constructor(private readonly settings: RateLimitSettings) {}

  /**
   * Counts a request and reports the quota in the response (draft-ietf-httpapi-ratelimit-headers, sections 3 and 4).
   *
   * @throws Problem `rate-limited`
   */
  canActivate(context: ExecutionContext): true {
    // A preflight would count towards an address that many callers share.
    if (accessOf(context) === 'public') return true;
    const http = context.switchToHttp();
    const request = http.getRequest<CallersRequest>();
    const response = http.getResponse<Response>();
    const { limit, seconds } = this.settings;
    const { requests, end } = this.count(rateKeyOf(request));
    const reset = Math.max(1, Math.ceil((end - performance.now()) / 1_000));
    response.setHeader('RateLimit-Policy', `"caller";q=${limit};w=${seconds}`);
    response.setHeader('RateLimit', `"caller";r=${Math.max(0, limit - requests)};t=${reset}`);
    if (requests > limit) {
      throw new Problem('rate-limited', undefined, { headers: { 'Retry-After': String(reset) } });
    }
    return true;
  }

  /** Counts a request in its caller's window. Drops ended windows, and the oldest one if there are too many. */
  count(caller: string): RateWindow {
    const now = performance.now();
    const current = this.windows.get(caller);
    if (current !== undefined && current.end > now) {
      current.requests++;
      return current;
    }
    // Deleted first, so that the new window goes to the end of the map.
    this.windows.delete(caller);
    for (const [oldest, { end }] of this.windows) {
      if (end > now && this.windows.size < MAX_CALLERS) break;
      this.windows.delete(oldest);
    }
    const window = { requests: 1, end: now + this.settings.seconds * 1_000 };
    this.windows.set(caller, window);
    return window;
  }
}

/**
 * A digest of the caller or, without tokens, of the client's network. The client's address is the connection's or,
 * behind `TRUST_PROXY` proxies, the address that the outermost proxy saw.
 */
function rateKeyOf({ caller, ip = '', socket }: CallersRequest): string {
  const name =
    caller === undefined
      ? `address ${networkOf(ip) ?? networkOf(socket.remoteAddress ?? '') ?? ''}`
      : `caller ${caller.id}`;
  return hash('sha256', name, 'base64url');
}

/**
 * An IPv4 address, or the first 64 bits of an IPv6 address. Some proxies add a port in X-Forwarded-For.
 *
 * @returns undefined for anything else, such as `unknown` or an obfuscated identifier (RFC 7239 §6)
 */
export function networkOf(text: string): string | undefined {
  const { bracketed, plain } = /^(?:\[(?<bracketed>.+)\]|(?<plain>[\d.]+))(?::\d+)?$/.exec(text)?.groups ?? {};
  const address = bracketed ?? plain ?? text;
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return address;
  if (!ipaddr.IPv6.isValid(address)) return undefined;
  const parsed = ipaddr.IPv6.parse(address);
  // A zone (`%eth0`, RFC 4007 §11) names a link of this machine.
  const [withoutZone] = address.split('%', 1);
  return parsed.isIPv4MappedAddress()
    ? parsed.toIPv4Address().toString()
    : ipaddr.IPv6.networkAddressFromCIDR(`${withoutZone}/${NETWORK_BITS}`).toString();
}
