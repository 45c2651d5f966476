import type { Delivery } from './delivery-store.js';
import type { AttemptsRecord } from './delivery-statements.js';
import type { SendResult } from './webhook-sender.js';

/** Milliseconds before a second attempt, which are doubled for each further one, and the longest pause. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 300_000;

export interface EndedAttempt extends SendResult {
  readonly delivery: Delivery;
  readonly url: string;
}

export function recordOf(ended: readonly EndedAttempt[]): AttemptsRecord {
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
    pauses: failed.map(({ delivery }) => backoffAfter(delivery.attempts - 1)),
    areLast: failed.map(({ delivery }) => delivery.isLast),
    isBack: back !== undefined,
    failures,
    pause: Math.max(backoffAfter(failures ?? 0), ...failed.map(({ retryAfter }) => retryAfter)),
    reason: speaker?.reason ?? null,
    endedUrl: speaker?.outcome === 'gone' ? speaker.url : null,
  };
}

/** Milliseconds: at least half of an exponential backoff (equal jitter). */
function backoffAfter(failures: number): number {
  const backoff = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** failures);
  return backoff / 2 + (Math.random() * backoff) / 2;
}
