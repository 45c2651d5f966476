/** Names and keys that no other check and no earlier run has used, and instants and slots for checks. */

import { randomInt, randomUUID } from 'node:crypto';

export interface Slot {
  readonly resource_id: string;
  readonly start: string;
  readonly end: string;
}

const HOUR = 3_600_000;

export function aResource(): string {
  return `conformance ${randomUUID()}`;
}

export function aKey(): string {
  return `conformance-${randomUUID()}`;
}

/** The instant that is this many hours after the start of 2030, in the format of responses. */
export function at(hours: number): string {
  return new Date(Date.UTC(2030, 0) + Math.round(hours * HOUR)).toISOString();
}

export function aSlot(resourceId: string, start = 9, end = start + 1): Slot {
  return { resource_id: resourceId, start: at(start), end: at(end) };
}

/** A random hour for {@link at}, from about the year 3000 to 9000: most likely far from all other bookings. */
export function aFarHour(): number {
  return randomInt(8_500_000, 61_000_000);
}
