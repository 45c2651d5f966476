import {
  type FaultDto,
  ForbiddenError,
  InvalidBookingError,
  ProblemError,
  SlotTakenError,
  UnauthenticatedError,
} from '@booking-service/client';
import type { Slot } from './grid.js';
import { timesText } from './span.js';
import type { Zone } from './zone.js';

/** Why a create failed, for who filled in the form. */
export interface CreateFault {
  readonly text: string;
  /** The members at fault. */
  readonly faults: readonly FaultDto[];
  /** Whether the booking may have been made all the same. */
  readonly isOpen: boolean;
  /** The slot that is in the way. */
  readonly held?: Slot;
}

export function faultOf(error: unknown, zone: Zone): CreateFault {
  const clear = (text: string) => ({ text, faults: [], isOpen: false });
  if (error instanceof SlotTakenError) {
    const slot = error.conflictingSlot;
    if (slot === undefined) return clear('Taken. Nothing was booked.');
    const held = { resource: slot.resource_id, start: Date.parse(slot.start), end: Date.parse(slot.end) };
    const times = timesText(zone, held.start, held.end, zone.date(held.start));
    return { ...clear(`Taken: ${held.resource} is booked from ${times}. Nothing was booked.`), held };
  }
  if (error instanceof InvalidBookingError) {
    return { ...clear('The service does not take this. Nothing was booked.'), faults: error.errors };
  }
  if (error instanceof UnauthenticatedError) return clear('Your token was not accepted. Nothing was booked.');
  if (error instanceof ForbiddenError) return clear('Your token may look, and not book. Nothing was booked.');
  if (error instanceof TypeError) return clear(error.message);
  if (error instanceof ProblemError && error.status < 500 && error.status !== 408) {
    return clear(`${error.problem.detail} Nothing was booked.`);
  }
  return {
    text: 'The service did not respond: perhaps this was booked. “Find out” asks again, and never books twice.',
    faults: [],
    isOpen: true,
  };
}
