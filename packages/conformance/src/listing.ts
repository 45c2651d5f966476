/** Bookings to list, their expected order, and walks through all pages of a list. */

import type { OutgoingRequest } from './exchange.js';
import { expectSame } from './expectations.js';
import { Failure } from './failure.js';
import { aKey, aResource, aSlot, at, type Slot } from './fixtures.js';
import { type Booking, idsOf, readPage } from './reading.js';
import type { Query, Service } from './service.js';

export const SORTS = ['-created_at', 'created_at'];

/** A window from 2007 to 2052, around all slots of {@link seed} except those at {@link aFarHour}. */
export const WIDE_WINDOW = { from: at(-200_000), to: at(200_000) };

/** Maximum creates that {@link seedMany} sends at once. */
const AT_ONCE = 10;
const MAX_PAGES = 100;

/** The first half of an hour, so that slots of different hours do not touch. */
export function halfHour(resource: string, hour: number): Slot {
  return aSlot(resource, hour, hour + 0.5);
}

/** Books the first half of each hour, one after the other. */
export async function seed(
  service: Service,
  hours: readonly number[],
  resource = aResource(),
): Promise<{ resource: string; bookings: Booking[] }> {
  const bookings: Booking[] = [];
  for (const hour of hours) bookings.push(await service.book({ slot: halfHour(resource, hour) }));
  return { resource, bookings };
}

/** Books the first half of each of `count` successive hours, several at once, each with a key. @returns the resource and the ids */
export async function seedMany(service: Service, count: number, details: object = {}): Promise<[string, string[]]> {
  const resource = aResource();
  const ids: string[] = [];
  for (let first = 0; first < count; first += AT_ONCE) {
    const hours = Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, hour) => first + hour);
    const booked = hours.map((hour) => service.book({ slot: halfHour(resource, hour), ...details }, aKey()));
    ids.push(...idsOf(await Promise.all(booked)));
  }
  return [resource, ids];
}

/** The bookings in the order of a list: by start in a window, otherwise by creation; with equal instants, by id. */
export function sortedFor({ sort, from, to }: Query, bookings: readonly Booking[]): Booking[] {
  const isByStart = from !== undefined || to !== undefined;
  // Instants in the format of responses sort as strings.
  const placeOf = ({ created_at, slot, booking_id }: Booking): string =>
    (isByStart ? slot!.start : created_at) + booking_id;
  const rising = bookings.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  return isByStart || sort === 'created_at' ? rising : rising.toReversed();
}

/** Expects exactly these bookings, in the order of the list. */
export async function expectListed(service: Service, query: Query, bookings: readonly Booking[]): Promise<void> {
  const response = await service.list({ limit: 100, ...query });
  expectSame(response, 'ids', idsOf(readPage(response).bookings), idsOf(sortedFor(query, bookings)));
}

/** The pages of a list, and the request for its first page, for the report. */
export interface Walk {
  readonly request: OutgoingRequest;
  readonly pages: readonly (readonly Booking[])[];
}

/** Reads all pages of a list. @param between called after each page but the last; `stop` ends the walk */
export async function walk(
  service: Service,
  query: Query,
  between: (seen: Booking[]) => Promise<'stop' | void> = () => Promise.resolve(),
): Promise<Walk> {
  const pages: (readonly Booking[])[] = [];
  let response = await service.list(query);
  const { request } = response;
  for (;;) {
    const { bookings, next_cursor: cursor } = readPage(response);
    pages.push(bookings);
    if (cursor === null || (await between(pages.flat())) === 'stop') return { request, pages };
    if (pages.length === MAX_PAGES) throw new Failure('a walk that ends', `${MAX_PAGES} pages`, response.request);
    response = await service.list({ ...query, cursor });
  }
}
