import type { ReceivedResponse } from './exchange.js';
import { expectSame } from './expectations.js';
import { at } from './inventions.js';
import { type Booking, idsOf, readPage } from './reading.js';
import type { Query, Service } from './service.js';

/** The orders of a list without a window. */
export const SORTS = ['-created_at', 'created_at'];

/** A window around all that the kit books on one resource. */
export const ALL_TIME = { from: at(-200_000), to: at(200_000) };

/** The bookings in the order of a list: by start in a window, otherwise by creation; ties are broken by the id. */
export function sortedFor({ sort, from, to }: Query, bookings: readonly Booking[]): Booking[] {
  const isByStart = from !== undefined || to !== undefined;
  // Instants are texts of one form, whose order is that of time.
  const placeOf = ({ created_at, slot, booking_id }: Booking): string =>
    (isByStart ? slot!.start : created_at) + booking_id;
  const rising = bookings.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  return isByStart || sort === 'created_at' ? rising : rising.toReversed();
}

/** @throws Failure that shows the first booking in the wrong place */
export function expectInOrder(response: ReceivedResponse, bookings: readonly Booking[], query: Query): void {
  const expected = sortedFor(query, bookings);
  const index = bookings.findIndex((booking, place) => booking !== expected[place]);
  expectSame(response, `in the order of the list, number ${index + 1}`, bookings[index], expected[index]);
}

/** Sees that a list has exactly these bookings, in its order. */
export async function expectListed(service: Service, query: Query, bookings: readonly Booking[]): Promise<void> {
  const response = await service.list({ limit: 100, ...query });
  expectSame(response, 'ids', idsOf(readPage(response).bookings), idsOf(sortedFor(query, bookings)));
}
