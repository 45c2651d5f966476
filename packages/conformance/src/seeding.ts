import { aResource, aSlot, type Slot } from './inventions.js';
import { type Booking, idsOf } from './reading.js';
import type { Service } from './service.js';

/** Creates at once, at most. */
const AT_ONCE = 10;

export interface Seeded {
  readonly resource: string;
  /** In the order of their creation. */
  readonly bookings: readonly Booking[];
}

/** The first half of an hour, so that no two of them touch. */
export function halfHour(resource: string, hour: number): Slot {
  return aSlot(resource, hour, hour + 0.5);
}

/** Books the {@link halfHour} of a resource for each of `hours`, one after the other. */
export async function seed(service: Service, hours: readonly number[], resource = aResource()): Promise<Seeded> {
  const bookings: Booking[] = [];
  for (const hour of hours) bookings.push(await service.book({ slot: halfHour(resource, hour) }));
  return { resource, bookings };
}

/** Books the {@link halfHour} of each of the first `count` hours, some at once. @returns the resource, and the ids */
export async function seedMany(service: Service, count: number, details: object = {}): Promise<[string, string[]]> {
  const resource = aResource();
  const ids: string[] = [];
  for (let first = 0; first < count; first += AT_ONCE) {
    const hours = Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, hour) => first + hour);
    const booked = hours.map((hour) => service.book({ slot: halfHour(resource, hour), ...details }));
    ids.push(...idsOf(await Promise.all(booked)));
  }
  return [resource, ids];
}
