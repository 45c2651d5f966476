import { checksOf } from '../check.js';
import type { ReceivedResponse } from '../exchange.js';
import { expectSame, expectThat } from '../expectations.js';
import { Skipped } from '../failure.js';
import { aFarHour, aResource, aSlot, at } from '../inventions.js';
import { type Booking, idsOf, readBooking, readPage } from '../reading.js';
import { seed } from '../seeding.js';
import { walk } from '../walk.js';
import { rejectsQueries } from './rejections.js';

const SORTS = ['created_at', '-created_at', 'start', '-start'] as const;
type Sort = (typeof SORTS)[number];

/** Bookings that are looked at to find those without a slot. */
const FAR_ENOUGH = 5_000;

export const sorting = checksOf('The list', 'interface', [
  {
    id: 'list.sort.there',
    title: 'what is on the list already is in the order of each `sort`',
    writes: false,
    run: async (service) => {
      for (const sort of SORTS) {
        const response = await service.list({ sort, limit: 100 });
        expectInOrder(response, readPage(response).bookings, sort);
      }
    },
  },
  {
    id: 'list.sort.created-at',
    title: '`-created_at`, the default, shows the newest first, `created_at` the oldest',
    writes: true,
    run: async (service) => {
      const resource = aResource();
      // At once, so that many are made within one millisecond.
      await Promise.all(Array.from({ length: 12 }, (_, hour) => seed(service, [(hour * 5) % 12], resource)));
      for (const [query, sort] of [
        [{}, '-created_at'],
        [{ sort: '-created_at' }, '-created_at'],
        [{ sort: 'created_at' }, 'created_at'],
      ] as const) {
        const response = await service.list({ resource_id: resource, ...query });
        expectInOrder(response, readPage(response).bookings, sort);
      }
    },
  },
  {
    id: 'list.sort.start',
    title: '`start` shows the earliest slot first, `-start` the latest',
    writes: true,
    run: async (service) => {
      const { resource, bookings } = await seed(service, [5, 1, 4, 2, 3]);
      const expected = [1, 3, 4, 2, 0].map((index) => bookings[index]!);
      const rising = await service.list({ resource_id: resource, sort: 'start' });
      expectSame(rising, 'ids', idsOf(readPage(rising).bookings), idsOf(expected));
      const falling = await service.list({ resource_id: resource, sort: '-start' });
      expectSame(falling, 'ids', idsOf(readPage(falling).bookings), idsOf(expected.toReversed()));
    },
  },
  {
    id: 'list.sort.ties',
    title: 'ties are broken by `booking_id`, in the direction of the sort',
    writes: true,
    run: async (service) => {
      const hour = aFarHour();
      for (let room = 0; room < 6; room++) readBooking(await service.create({ slot: aSlot(aResource(), hour) }));
      for (const sort of ['start', '-start'] as const) {
        const response = await service.list({ from: at(hour), to: at(hour + 1), limit: 100, sort });
        expectInOrder(response, readPage(response).bookings, sort);
      }
    },
  },
  {
    id: 'list.sort.without-slot',
    title: 'under `start` and `-start`, bookings without a slot come last, by `booking_id` in that direction',
    writes: true,
    run: async (service) => {
      const made = idsOf((await seed(service, [9])).bookings);
      for (let n = 0; n < 3; n++) made.push(readBooking(await service.create({ n })).booking_id);
      for (const sort of ['start', '-start'] as const) {
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
  },
  rejectsQueries(
    { id: 'list.sort.rejected', title: '`sort` is one of -created_at, created_at, start, -start' },
    ['', 'end', 'booking_id', '%2Bstart', 'Start', 'start,created_at', '--start', 'constructor'].map((sort) => [
      `sort=${sort}`,
      '#/sort',
    ]),
  ),
]);

/** Sees that each booking comes before the next one under a sort, ties broken by the id. */
function expectInOrder(response: ReceivedResponse, bookings: readonly Booking[], sort: Sort): void {
  for (const [index, booking] of bookings.entries()) {
    const before = bookings[index - 1];
    const isInOrder = before === undefined || compare(before, booking, sort) < 0;
    expectThat(response, isInOrder, `the order of ${sort}`, `${shown(before)} before ${shown(booking)}`);
  }
}

function compare(a: Booking, b: Booking, sort: Sort): number {
  const direction = sort.startsWith('-') ? -1 : 1;
  const ofIds = direction * inOrder(a.booking_id, b.booking_id);
  if (sort.endsWith('created_at')) return direction * inOrder(a.created_at, b.created_at) || ofIds;
  if (a.slot === undefined || b.slot === undefined)
    return Number(a.slot === undefined) - Number(b.slot === undefined) || ofIds;
  return direction * inOrder(a.slot.start, b.slot.start) || ofIds;
}

function inOrder(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function shown(booking: Booking | undefined): string {
  const { booking_id, created_at, slot } = booking ?? {};
  return JSON.stringify({ booking_id, created_at, slot });
}
