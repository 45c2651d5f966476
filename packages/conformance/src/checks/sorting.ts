import { check, checksOf } from '../check.js';
import { expectSame } from '../expectations.js';
import { Skipped } from '../failure.js';
import { aFarHour, aResource, aSlot, at } from '../inventions.js';
import { expectInOrder, expectListed, SORTS } from '../listing.js';
import { idsOf, readPage } from '../reading.js';
import { rejectsQueries } from '../row.js';
import { seed } from '../seeding.js';
import type { Query, Service } from '../service.js';
import { walk } from '../walk.js';

const BY_START = ['start', '-start'];

/** Bookings that are looked at to find those without a slot. */
const FAR_ENOUGH = 5_000;

export const sorting = checksOf('The list', 'interface', [
  check('list.sort.there', 'what is on the list already is in the order of each `sort`', async (service) => {
    for (const sort of SORTS) await expectSorted(service, { sort, limit: 100 }, sort);
  }),
  check(
    'list.sort.created-at',
    '`-created_at`, the default, shows the newest first, `created_at` the oldest',
    async (service) => {
      const resource_id = aResource();
      // At once, so that many are made within one millisecond.
      await Promise.all(Array.from({ length: 12 }, (_, hour) => seed(service, [(hour * 5) % 12], resource_id)));
      await expectSorted(service, { resource_id }, '-created_at');
      await expectSorted(service, { resource_id, sort: '-created_at' }, '-created_at');
      await expectSorted(service, { resource_id, sort: 'created_at' }, 'created_at');
    },
  ),
  check('list.sort.start', '`start` shows the earliest slot first, `-start` the latest', async (service) => {
    const { resource: resource_id, bookings } = await seed(service, [5, 1, 4, 2, 3]);
    const rising = [1, 3, 4, 2, 0].map((index) => bookings[index]!);
    await expectListed(service, { resource_id, sort: 'start' }, rising);
    await expectListed(service, { resource_id, sort: '-start' }, rising.toReversed());
  }),
  check('list.sort.ties', 'ties are broken by `booking_id`, in the direction of the sort', async (service) => {
    const hour = aFarHour();
    for (let room = 0; room < 6; room++) await service.book({ slot: aSlot(aResource(), hour) });
    for (const sort of BY_START) {
      await expectSorted(service, { from: at(hour), to: at(hour + 1), limit: 100, sort }, sort);
    }
  }),
  check(
    'list.sort.without-slot',
    'under `start` and `-start`, bookings without a slot come last, by `booking_id` in that direction',
    async (service) => {
      const made = idsOf((await seed(service, [9])).bookings);
      for (let n = 0; n < 3; n++) made.push((await service.book({ n })).booking_id);
      for (const sort of BY_START) {
        const query = { sort, limit: 100 };
        const pages = await walk(service, query, async ({ length }) => {
          if (length >= FAR_ENOUGH) throw new Skipped(`the list is long: its first ${length} bookings do not show it`);
        });
        const response = await service.list(query);
        expectInOrder(response, pages.flat(), sort);
        const walked = idsOf(pages.flat()).filter((id) => made.includes(id));
        expectSame(response, 'ids of the walk', walked.toSorted(), made.toSorted());
      }
    },
  ),
  rejectsQueries(
    'list.sort.rejected',
    '`sort` is one of -created_at, created_at, start, -start',
    ['', 'end', 'booking_id', '%2Bstart', 'Start', 'start,created_at', '--start', 'constructor'].map((sort) => [
      `sort=${sort}`,
      '#/sort',
    ]),
  ),
]);

async function expectSorted(service: Service, query: Query, sort: string): Promise<void> {
  const response = await service.list(query);
  expectInOrder(response, readPage(response).bookings, sort);
}
