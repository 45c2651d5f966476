import { aResource, aSlot, type Slot } from './inventions.js';
import { type Booking, readBooking } from './reading.js';
import type { Service } from './service.js';

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
  for (const hour of hours) bookings.push(readBooking(await service.create({ slot: halfHour(resource, hour) })));
  return { resource, bookings };
}
