import type { ReceivedResponse } from './exchange.js';
import { expectSame } from './expectations.js';
import { type Booking, idsOf, readPage } from './reading.js';
import type { Query, Service } from './service.js';

export const SORTS = ['-created_at', 'created_at', 'start', '-start'];

/** The bookings in the order of a `sort`: ties are broken by the id, and those without a slot are last by start. */
export function sortedBy(sort: string, bookings: readonly Booking[]): Booking[] {
  const isByStart = sort.endsWith('start');
  // Instants are texts of one form, whose order is that of time.
  const placeOf = ({ created_at, slot, booking_id }: Booking): string =>
    (isByStart ? (slot?.start ?? '') : created_at) + booking_id;
  const rising = bookings.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  const sorted = sort.startsWith('-') ? rising.toReversed() : rising;
  if (!isByStart) return sorted;
  return [...sorted.filter(({ slot }) => slot !== undefined), ...sorted.filter(({ slot }) => slot === undefined)];
}

/** @throws Failure that shows the first booking in the wrong place */
export function expectInOrder(response: ReceivedResponse, bookings: readonly Booking[], sort: string): void {
  const expected = sortedBy(sort, bookings);
  const index = bookings.findIndex((booking, place) => booking !== expected[place]);
  expectSame(response, `in the order of ${sort}, number ${index + 1}`, bookings[index], expected[index]);
}

/** Sees that a list has exactly these bookings; their order counts where the query has a `sort`. */
export async function expectListed(service: Service, query: Query, bookings: readonly Booking[]): Promise<void> {
  const response = await service.list({ limit: 100, ...query });
  const [got, expected] = [idsOf(readPage(response).bookings), idsOf(bookings)];
  if ('sort' in query) expectSame(response, 'ids', got, expected);
  else expectSame(response, 'ids', got.toSorted(), expected.toSorted());
}
