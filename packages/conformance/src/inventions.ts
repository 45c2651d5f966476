import { randomInt, randomUUID } from 'node:crypto';

export interface Slot {
  readonly resource_id: string;
  readonly start: string;
  readonly end: string;
}

const HOUR = 3_600_000;

/** A resource that no other client books. */
export function aResource(): string {
  return `conformance ${randomUUID()}`;
}

/** An idempotency key that no other client uses. */
export function aKey(): string {
  return `conformance-${randomUUID()}`;
}

/** An instant, in hours after the start of 2030, as it is returned. */
export function at(hours: number): string {
  return new Date(Date.UTC(2030, 0) + Math.round(hours * HOUR)).toISOString();
}

/** A slot between two {@link at} hours. */
export function aSlot(resourceId: string, start = 9, end = start + 1): Slot {
  return { resource_id: resourceId, start: at(start), end: at(end) };
}

/** Hours, as {@link at} takes them, where hardly anybody else books: somewhere in the years 3000 to 9000. */
export function aFarHour(): number {
  return randomInt(8_500_000, 61_000_000);
}
