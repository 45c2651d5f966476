import { Failure } from './failure.js';
import { type Booking, readPage } from './reading.js';
import type { Query, Service } from './service.js';

/** Pages after which a walk that should be over is given up. */
const MAX_PAGES = 100;

/**
 * Walks from the first page to the one whose `next_cursor` is null.
 *
 * @param between done after each page but the last, with what was seen so far; `stop` ends the walk there
 * @returns the pages
 * @throws Failure for a walk that does not end
 */
export async function walk(
  service: Service,
  query: Query,
  between: (seen: Booking[]) => Promise<'stop' | void> = () => Promise.resolve(),
): Promise<Booking[][]> {
  const pages: Booking[][] = [];
  let response = await service.list(query);
  for (;;) {
    const { bookings, next_cursor: cursor } = readPage(response);
    pages.push([...bookings]);
    if (cursor === null || (await between(pages.flat())) === 'stop') return pages;
    if (pages.length === MAX_PAGES) throw new Failure('a walk that ends', `${MAX_PAGES} pages`, response.request);
    response = await service.list({ ...query, cursor });
  }
}
