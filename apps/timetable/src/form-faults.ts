import { InvalidBookingError, ProblemError, SlotTakenError } from '@booking-service/client';
import { byId } from './dom.js';
import { isolated } from './label.js';
import type { Slot } from './schedule.js';
import { whenText } from './span.js';
import type { Zone } from './zone.js';

/** Why a create failed, for the user of the form. */
export interface CreateFault {
  readonly text: string;
  /** Whether the booking may have been created nevertheless. */
  readonly isOpen?: boolean;
  /** The slot that conflicts. */
  readonly held?: Slot;
}

export function faultOf(error: unknown, zone: Zone): CreateFault {
  if (error instanceof TypeError) return { text: error.message };
  if (!(error instanceof ProblemError) || error.status >= 500 || error.status === 408) {
    return { text: byId('fault').dataset['open']!, isOpen: true };
  }
  const nothing = (text: string) => ({ text: `${text} Nothing was booked.` });
  if (error instanceof SlotTakenError && error.conflictingSlot !== undefined) {
    const { resource_id: resource, ...times } = error.conflictingSlot;
    const held = { resource, start: Date.parse(times.start), end: Date.parse(times.end) };
    const text = whenText(zone, held.start, held.end);
    return { ...nothing(`Taken: ${isolated(resource)} is booked ${text}.`), held };
  }
  if (error instanceof InvalidBookingError) {
    const faults = error.errors.map(({ pointer, detail }) => `${pointer} ${detail}`);
    return nothing(`The service rejected this: ${faults.join('; ')}.`);
  }
  return nothing(error.problem.detail);
}
