import { Problem } from '../http/problem.js';

/** @param retryAfter whole seconds */
export function rateLimited(retryAfter: number): Problem {
  return new Problem('rate-limited', `There were too many requests. Try again in ${retryAfter} s.`, {
    headers: { 'Retry-After': String(retryAfter) },
  });
}
