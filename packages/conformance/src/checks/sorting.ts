import { check, checksOf } from '../check.js';
import { aFarHour, aResource, aSlot, at } from '../inventions.js';
import { ALL_TIME, expectInOrder, expectListed } from '../listing.js';
import { readPage } from '../reading.js';
import { rejectsQueries } from '../row.js';
import { seed } from '../seeding.js';
import type { Query, Service } from '../service.js';

export const sorting = checksOf('The list', 'interface', [
  check('list.sort.there', 'what is on the list already is in the order of each list', async (service) => {
    for (const query of [{}, { sort: 'created_at' }, { to: '9999-01-01T00:00:00Z' }]) {
      await expectSorted(service, { ...query, limit: 100 });
    }
  }),
  check(
    'list.sort.created-at',
    '`-created_at`, the default, shows the newest first, `created_at` the oldest',
    async (service) => {
      const resource_id = aResource();
      // At once, so that many are made within one millisecond.
      await Promise.all(Array.from({ length: 12 }, (_, hour) => seed(service, [(hour * 5) % 12], resource_id)));
      await expectSorted(service, { resource_id });
      await expectSorted(service, { resource_id, sort: '-created_at' });
      await expectSorted(service, { resource_id, sort: 'created_at' });
    },
  ),
  check('list.sort.start', 'with `from` or `to`, the earliest slot is first', async (service) => {
    const { resource: resource_id, bookings } = await seed(service, [5, 1, 4, 2, 3]);
    for (const window of [ALL_TIME, { from: at(0) }, { to: at(9) }]) {
      await expectListed(service, { resource_id, ...window }, bookings);
    }
  }),
  check('list.sort.ties', 'slots that start together are in the order of `booking_id`', async (service) => {
    const hour = aFarHour();
    for (let room = 0; room < 6; room++) await service.book({ slot: aSlot(aResource(), hour) });
    await expectSorted(service, { from: at(hour), to: at(hour + 1), limit: 100 });
  }),
  rejectsQueries(
    'list.sort.rejected',
    '`sort` is -created_at or created_at',
    ['', 'start', '-start', 'booking_id', '%2Bcreated_at', 'Created_at', '--created_at', 'constructor'].map((sort) => [
      `sort=${sort}`,
      '#/sort',
    ]),
  ),
  rejectsQueries('list.sort.window', '`sort` together with `from` or `to` is 400', [
    [`sort=created_at&from=${at(9)}`, '#/sort'],
    [`sort=-created_at&to=${at(9)}`, '#/sort'],
  ]),
]);

async function expectSorted(service: Service, query: Query): Promise<void> {
  const response = await service.list(query);
  expectInOrder(response, readPage(response).bookings, query);
}
