import type { Delivery } from './delivery-store.js';
import type { AttemptRecord } from './delivery-statements.js';
import type { SendResult } from './webhook-sender.js';

/** Milliseconds before the second attempt, doubled for each further one, and the longest pause. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 300_000;

export interface EndedAttempt extends SendResult {
  readonly delivery: Delivery;
  readonly url: string;
}

/** One attempt decides on the endpoint: a success after failures, else a 410, else the last failure. */
export function recordOf(ended: readonly EndedAttempt[]): Omit<AttemptRecord, 'name'> {
  const delivered = ended.filter(({ outcome }) => outcome === 'delivered');
  const failed = ended.filter(({ outcome }) => outcome !== 'delivered');
  const success = delivered.find(({ delivery }) => delivery.failures > 0);
  const decisive = success ?? failed.find(({ outcome }) => outcome === 'gone') ?? failed.at(-1);
  return {
    acknowledged: delivered.map(({ delivery }) => delivery.id),
    failed: failed.map(({ delivery: { id: deliveryId, attempts, isLast }, reason }) => {
      return { deliveryId, reason, pause: backoffAfter(attempts - 1), isLast };
    }),
    verdict: decisive && {
      isUp: decisive === success,
      failures: decisive.delivery.failures,
      pause: Math.max(backoffAfter(decisive.delivery.failures), ...failed.map(({ retryAfter }) => retryAfter)),
      reason: decisive.reason,
      endedUrl: decisive.outcome === 'gone' ? decisive.url : null,
    },
  };
}

/** Milliseconds: exponential, with equal jitter. */
function backoffAfter(failures: number): number {
  const backoff = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** failures);
  return backoff / 2 + (Math.random() * backoff) / 2;
}
