/** The longest pause that a service is granted, in milliseconds: after it, one request asks again. */
export const MAX_PAUSE = 5 * 60_000;

/**
 * How long to wait after a response, so that a quarter of the caller's rate limit is left to others
 * (draft-ietf-httpapi-ratelimit-headers).
 *
 * @returns milliseconds
 */
export function pauseAfter(headers: Headers): number {
  const [, limit] = /;q=(\d+)/.exec(headers.get('ratelimit-policy') ?? '') ?? [];
  const [, left, reset] = /;r=(\d+);t=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
  const isLow = limit !== undefined && left !== undefined && Number(left) <= Number(limit) / 4;
  return isLow ? Math.min(MAX_PAUSE, Number(reset) * 1_000) : 0;
}
