/** Why a booking failed, in words. */

import { InvalidBookingError, ProblemError, SlotTakenError } from '@booking-service/client';
import { type Slot, slotOf } from './bookings.js';
import { isolated, secondText, whenText } from './texts.js';
import type { Zone } from './time.js';

const UNCLEAR = 'so this may have been booked.';

interface Failure {
  readonly text: string;
  /** Whether the booking may exist nevertheless. */
  readonly isUnclear: boolean;
  /** The slot that was already booked, if that is the reason. */
  readonly held?: Slot | undefined;
}

/** @param error thrown by a create */
export function failureOf(error: unknown, zone: Zone): Failure {
  // The client throws a TypeError only if it has sent nothing.
  if (error instanceof TypeError) return { text: `${error.message} Nothing was booked.`, isUnclear: false };
  const isRejected = error instanceof ProblemError && error.status < 500 && error.status !== 408;
  if (!isRejected) {
    const what = error instanceof ProblemError ? `failed (${error.status})` : 'did not respond';
    return { text: `The service ${what}, ${UNCLEAR}`, isUnclear: true };
  }
  const held = error instanceof SlotTakenError && error.conflictingSlot ? slotOf(error.conflictingSlot) : undefined;
  const { retryAfter } = error;
  const again = retryAfter === undefined ? '' : ` Try again at ${secondText(zone, Date.now() + retryAfter * 1_000)}.`;
  return { text: `${rejectionOf(error, zone, held)} Nothing was booked.${again}`, isUnclear: false, held };
}

function rejectionOf(error: ProblemError, zone: Zone, held: Slot | undefined): string {
  if (held) return `Taken: ${isolated(held.resource)} is booked ${whenText(zone, held)}.`;
  if (error.status === 429) return 'The service limits requests.';
  if (error instanceof InvalidBookingError) {
    const faults = error.errors.map(({ pointer, detail }) => `${pointer} ${detail}`);
    return `The service rejected this: ${faults.join('; ')}.`;
  }
  // A proxy's page has no problem.
  return error.problem.type === 'about:blank'
    ? `Another server has denied this (${error.status}).`
    : error.problem.detail;
}
