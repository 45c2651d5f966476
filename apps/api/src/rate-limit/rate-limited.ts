import { Problem } from '../http/problem.js';

/** @param retryAfter whole seconds */
export function rateLimited(retryAfter: number): Problem {
  return new Problem('rate-limited', undefined, { headers: { 'Retry-After': String(retryAfter) } });
}
