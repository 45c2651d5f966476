import type { Slot } from '../../bookings/domain/booking.js';
import type { SendResult } from './webhook-sender.js';

/** Longest pause before the second attempt, in milliseconds; doubled for each further attempt. */
const FIRST_PAUSE = 250;
/** Longest pause before any attempt, in milliseconds, unless the endpoint asks for a longer one. */
const LONGEST_PAUSE = 300_000;

/** An event claimed for an attempt. */
export interface Delivery {
  readonly id: string;
  readonly bookingId: string;
  readonly type: 'created' | 'deleted';
  /** Attempts so far, this one included. */
  readonly attempts: number;
  /** The endpoint's consecutive failures when the event was claimed. */
  readonly failures: number;
  /** Whether the event becomes a dead letter if this attempt fails. */
  readonly isLast: boolean;
  /** The booking as JSON; null if the booking is gone. */
  readonly json: string | null;
  /** When the booking was deleted, in milliseconds since 1970; null for a creation. */
  readonly deletedAt: number | null;
  /** The slot that a deletion frees, if any. */
  readonly slot: Slot | null;
}

export interface FinishedAttempt extends SendResult {
  readonly delivery: Delivery;
  readonly url: string;
}

interface FailedAttempt {
  readonly deliveryId: string;
  readonly reason: string;
  /** Milliseconds until the next attempt, unless this was the last. */
  readonly pause: number;
  readonly isLast: boolean;
}

export interface Verdict {
  readonly isUp: boolean;
  /** The endpoint's consecutive failures when the attempts began. */
  readonly failures: number;
  /** Milliseconds until a failing endpoint is tried again. */
  readonly pause: number;
  readonly reason: string;
  /** The endpoint's URL if it responded 410, else null. */
  readonly endedUrl: string | null;
}

/** What to record about attempts to deliver to one endpoint. */
export interface AttemptRecord {
  readonly name: string;
  /** Ids of deliveries. */
  readonly acknowledged?: readonly string[];
  readonly failed?: readonly FailedAttempt[];
  readonly verdict?: Verdict | undefined;
}

/** One attempt decides the verdict on the endpoint: a success after failures, else a 410, else the last failure. */
export function recordOf(finished: readonly FinishedAttempt[]): Omit<AttemptRecord, 'name'> {
  const delivered = finished.filter(({ outcome }) => outcome === 'delivered');
  const failed = finished.filter(({ outcome }) => outcome !== 'delivered');
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

/** Milliseconds to wait: exponential backoff with equal jitter. */
function backoffAfter(failures: number): number {
  const backoff = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** failures);
  return backoff / 2 + (Math.random() * backoff) / 2;
}
