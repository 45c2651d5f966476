import type { PostResult } from './post.js';

/** Times of delivery, in milliseconds. */
export interface DeliveryTimes {
  /** Before the second attempt; doubled for each further one. */
  readonly firstPause: number;
  readonly longestPause: number;
  /** For how long an event is tried, before it is parked. */
  readonly patience: number;
}

export const DELIVERY_TIMES: DeliveryTimes = {
  firstPause: 250,
  longestPause: 300_000,
  patience: 3 * 86_400_000,
};

/** What an attempt comes to, as the metric counts it. */
export const ATTEMPTS = ['delivered', 'rejected', 'retry', 'timeout', 'unreachable', 'refused_address'] as const;
export type Attempt = (typeof ATTEMPTS)[number];

const GONE = 410;
/** Rejections that say nothing of the event: request timeout, too early, too many requests. */
const RETRIED = new Set([408, 425, 429]);

/** Equal jitter: at least half of the pause, so that no failing endpoint is tried at once. */
export function pauseBefore(attempt: number, { firstPause, longestPause }: DeliveryTimes): number {
  const pause = Math.min(longestPause, firstPause * 2 ** (attempt - 1));
  return pause / 2 + (Math.random() * pause) / 2;
}

export function isGone(result: PostResult): boolean {
  return result.kind === 'response' && result.status === GONE;
}

export function attemptOf(result: PostResult): Attempt {
  if (result.kind !== 'response') return result.kind;
  const { status } = result;
  if (status >= 200 && status < 300) return 'delivered';
  return status >= 500 || RETRIED.has(status) ? 'retry' : 'rejected';
}

export function reasonOf(result: PostResult): string {
  return result.kind === 'response' ? String(result.status) : result.reason;
}
