import { check, checksOf } from '../check.js';
import { expectSame } from '../expectations.js';
import { aResource, at } from '../fixtures.js';
import { seed, sortedFor } from '../listing.js';
import { readPage } from '../reading.js';
import type { Query, Service } from '../service.js';
import { rejectsQueries } from '../statements.js';

const BAD_SORTS = ['', 'start', '-start', 'booking_id', '%2Bcreated_at', 'Created_at', '--created_at', 'constructor'];

export const sorting = checksOf('The list', 'interface', [
  check('list.sort.there', 'existing bookings are in the order of each list', async (service) => {
    for (const query of [{}, { sort: 'created_at' }, { to: '9999-01-01T00:00:00Z' }]) {
      await expectSorted(service, { ...query, limit: 100 });
    }
  }),
  check('list.sort.created-at', '`-created_at` (default) lists the newest first', async (service) => {
    const resource_id = aResource();
    // Some bookings that are created at once are likely to share a millisecond.
    await Promise.all(Array.from({ length: 12 }, (_, hour) => seed(service, [(hour * 5) % 12], resource_id)));
    for (const query of [{}, { sort: '-created_at' }, { sort: 'created_at' }]) {
      await expectSorted(service, { resource_id, ...query });
    }
  }),
  rejectsQueries('list.sort.rejected', '`sort` is `-created_at` or `created_at`', {
    '#/sort': BAD_SORTS.map((sort) => `sort=${sort}`),
  }),
  rejectsQueries('list.sort.window', '`sort` together with `from` or `to` is 400', {
    '#/sort': [`sort=created_at&from=${at(9)}`, `sort=-created_at&to=${at(9)}`],
  }),
]);

/** Expects a sorted list. The failure shows the first booking that is in the wrong place. */
async function expectSorted(service: Service, query: Query): Promise<void> {
  const response = await service.list(query);
  const { bookings } = readPage(response);
  const expected = sortedFor(query, bookings);
  const index = bookings.findIndex((booking, place) => booking !== expected[place]);
  expectSame(response, `in the order of the list, number ${index + 1}`, bookings[index], expected[index]);
}
