/** Why a booking failed, in words. */

import { InvalidBookingError, ProblemError, SlotTakenError } from '@booking-service/client';
import { type Slot, slotOf } from './bookings.js';
import { isolated, secondText, whenText } from './texts.js';
import type { Zone } from './time.js';

const UNCLEAR = 'This may have been booked.';

interface Failure {
  readonly text: string;
  /** Whether the booking may exist nevertheless. */
  readonly isUnclear: boolean;
  /** The slot that was already booked, if that is the reason. */
  readonly held?: Slot | undefined;
}

/** @param error thrown by a create @param wasUnclear whether an earlier attempt may have booked */
export function failureOf(error: unknown, zone: Zone, wasUnclear: boolean): Failure {
  // The client throws a TypeError only if it has sent nothing.
  if (error instanceof TypeError) return { text: `${error.message} Nothing was booked.`, isUnclear: false };
  if (!(error instanceof ProblemError)) return { text: `The service did not respond. ${UNCLEAR}`, isUnclear: true };
  const { status, retryAfter } = error;
  const isFailed = status >= 500 || status === 408;
  // These say nothing about an earlier attempt.
  const isUnclear = isFailed || (wasUnclear && [401, 403, 429].includes(status));
  const held = error instanceof SlotTakenError && error.conflictingSlot ? slotOf(error.conflictingSlot) : undefined;
  const reason = isFailed ? `The service failed (${status}).` : rejectionOf(error, zone, held);
  const again = retryAfter === undefined ? '' : ` Try again at ${secondText(zone, Date.now() + retryAfter * 1_000)}.`;
  return { text: `${reason} ${isUnclear ? UNCLEAR : 'Nothing was booked.'}${again}`, isUnclear, held };
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
