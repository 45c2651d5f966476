import type { SendResult } from './webhook-sender.js';

/** Times of delivery, in milliseconds. */
export interface DeliveryTimes {
  /** Before the second attempt; doubled for each further one. */
  readonly firstPause: number;
  readonly longestPause: number;
  /** Before each further attempt at an event that is rejected; after the last it is dead-lettered. */
  readonly rejectionPauses: readonly number[];
}

export const DELIVERY_TIMES: DeliveryTimes = {
  firstPause: 250,
  longestPause: 300_000,
  rejectionPauses: [2_000, 5_000, 10_000, 20_000, 30_000],
};

/** The outcomes of an attempt, as the metric counts them. */
export const OUTCOMES = [
  'delivered',
  'rejected',
  'gone',
  'retry',
  'timeout',
  'unreachable',
  'private_address',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The receiver has read the event and does not accept it. Others may be of a proxy, a deployment or a wrong secret. */
const OF_THE_EVENT = new Set([400, 409, 413, 415, 422]);

/** Milliseconds: that of the exponential backoff, at least half of it (equal jitter). */
export function backoffAfter(failures: number, { firstPause, longestPause }: DeliveryTimes): number {
  const backoff = Math.min(longestPause, firstPause * 2 ** failures);
  return backoff / 2 + (Math.random() * backoff) / 2;
}

export function outcomeOf(result: SendResult): Outcome {
  if (result.kind !== 'response') return result.kind;
  const { status } = result;
  if (status >= 200 && status < 300) return 'delivered';
  // The URL wants no more events (RFC 9110 §15.5.11).
  if (status === 410) return 'gone';
  return OF_THE_EVENT.has(status) ? 'rejected' : 'retry';
}
