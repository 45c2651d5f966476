import type { Delivery } from './delivery-store.js';
import type { AttemptsRecord } from './delivery-statements.js';
import type { SendResult } from './webhook-sender.js';

/** Pauses before further attempts, in milliseconds. */
export interface RetryTimes {
  /** Before the second attempt; doubled for each further one. */
  readonly firstPause: number;
  readonly longestPause: number;
}

export const RETRY_TIMES: RetryTimes = { firstPause: 250, longestPause: 300_000 };

/** An attempt that has ended. */
export interface EndedAttempt extends SendResult {
  readonly delivery: Delivery;
}

/** What is recorded of attempts at one endpoint. */
export function recordOf(ended: readonly EndedAttempt[], url: string, times: RetryTimes): AttemptsRecord {
  const delivered = ended.filter(({ outcome }) => outcome === 'delivered');
  const failed = ended.filter(({ outcome }) => outcome !== 'delivered');
  const back = delivered.find(({ delivery }) => delivery.failures > 0);
  const gone = failed.find(({ outcome }) => outcome === 'gone');
  // One attempt speaks for the endpoint.
  const speaker = back ?? gone ?? failed.at(-1);
  const failures = speaker?.delivery.failures ?? null;
  return {
    acknowledged: delivered.map(({ delivery }) => delivery.id),
    failed: failed.map(({ delivery }) => delivery.id),
    reasons: failed.map(({ reason }) => reason),
    pauses: failed.map(({ delivery }) => backoffAfter(delivery.attempts - 1, times)),
    areLast: failed.map(({ delivery }) => delivery.isLast),
    isBack: back !== undefined,
    failures,
    pause: Math.max(backoffAfter(failures ?? 0, times), ...failed.map(({ retryAfter }) => retryAfter)),
    reason: speaker?.reason ?? null,
    endedUrl: speaker?.outcome === 'gone' ? url : null,
  };
}

/** Milliseconds: at least half of an exponential backoff (equal jitter). */
function backoffAfter(failures: number, { firstPause, longestPause }: RetryTimes): number {
  const backoff = Math.min(longestPause, firstPause * 2 ** failures);
  return backoff / 2 + (Math.random() * backoff) / 2;
}
