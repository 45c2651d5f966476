import { z } from 'zod';
import { wholeNumber } from '../whole-number.js';

export interface RateLimitSettings {
  /** Requests that a caller has in a window. */
  readonly requests: number;
  /** Seconds of a window, which begins with a caller's first request. */
  readonly window: number;
}

export const rateLimitVariables = {
  RATE_LIMIT: wholeNumber(1, 1_000_000).optional(),
  RATE_LIMIT_WINDOW_SECONDS: wholeNumber(1, 86_400).default(60),
  TRUST_PROXY: wholeNumber(0, 10).default(0),
};

type RateLimitVariables = z.output<z.ZodObject<typeof rateLimitVariables>>;

/** Undefined where no limit is set. */
export function rateLimitSettings(variables: RateLimitVariables): RateLimitSettings | undefined {
  const { RATE_LIMIT: requests, RATE_LIMIT_WINDOW_SECONDS: window } = variables;
  return requests === undefined ? undefined : { requests, window };
}
