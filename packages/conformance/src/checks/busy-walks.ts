import { type Check, checksOf } from '../check.js';
import { expectSame, expectThat } from '../expectations.js';
import { aResource, at } from '../inventions.js';
import { type Booking, idsOf, readBooking } from '../reading.js';
import { halfHour, seed } from '../seeding.js';
import type { Query, Service } from '../service.js';
import { walk } from '../walk.js';

/** Pages of the whole list on which bookings that were just made have to be. */
const NEWEST_PAGES = 40;

/** Sees that a walk shows each of these bookings exactly once, and no booking twice. */
async function expectOnce(service: Service, query: Query, before: readonly string[], walked: Booking[]): Promise<void> {
  const [first, ids] = [await service.list(query), idsOf(walked)];
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
  expectSame(first, 'bookings that a walk shows twice', twice, []);
  expectSame(
    first,
    'bookings that a walk misses',
    before.filter((id) => !ids.includes(id)),
    [],
  );
}

/** Others book before, between and after what is on the resource, at once. */
function others(service: Service, resource: string): () => Promise<void> {
  let round = 0;
  return async () => {
    const hour = round++;
    const hours = [-1 - hour, 2 * hour + 1, 200 + hour];
    const responses = await Promise.all(hours.map((at) => service.create({ slot: halfHour(resource, at) })));
    for (const response of responses) readBooking(response);
  };
}

const sorted = (sort: string): Omit<Check, 'section' | 'level'> => ({
  id: `walk.busy.${sort}`,
  title: `a walk by ${sort} shows every booking from before it exactly once, while others write`,
  writes: true,
  run: async (service) => {
    const { resource, bookings } = await seed(service, [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22]);
    const query = { resource_id: resource, sort, limit: 5 };
    const pages = await walk(service, query, others(service, resource));
    await expectOnce(service, query, idsOf(bookings), pages.flat());
  },
});

export const busyWalks = checksOf('The list', 'concurrency', [
  ...['-created_at', 'created_at', 'start', '-start'].map(sorted),
  {
    id: 'walk.busy.window',
    title: 'a walk of a window shows every booking from before it exactly once, while others write',
    writes: true,
    run: async (service) => {
      const { resource, bookings } = await seed(service, [0, 2, 4, 6, 8, 10]);
      const query = { resource_id: resource, from: at(0), to: at(11), sort: 'start', limit: 2 };
      const pages = await walk(service, query, others(service, resource));
      await expectOnce(service, query, idsOf(bookings), pages.flat());
    },
  },
  {
    id: 'walk.busy.newest',
    title: 'a walk of the whole list shows the newest bookings exactly once, while others write',
    writes: true,
    run: async (service) => {
      const before: string[] = [];
      for (let n = 0; n < 12; n++) before.push(readBooking(await service.create({ n })).booking_id);
      const book = others(service, aResource());
      let pages = 0;
      const walked = await walk(service, { limit: 5 }, async (seen) => {
        await book();
        const ids = idsOf(seen);
        return before.every((id) => ids.includes(id)) || ++pages === NEWEST_PAGES ? 'stop' : undefined;
      });
      await expectOnce(service, { limit: 5 }, before, walked.flat());
    },
  },
  {
    id: 'walk.busy.at-once',
    title: 'every booking is on a walk that begins after its create had its response, while many are made at once',
    writes: true,
    run: async (service) => {
      const resource = aResource();
      await Promise.all(
        Array.from({ length: 20 }, async (_, hour) => {
          const { bookings } = await seed(service, [hour], resource);
          // Oldest first: the booking comes after all that were made before.
          const query = { resource_id: resource, sort: 'created_at', limit: 7 };
          const seen = idsOf((await walk(service, query)).flat());
          const response = await service.list(query);
          expectThat(response, seen.includes(bookings[0]!.booking_id), `a walk with ${bookings[0]!.booking_id}`);
        }),
      );
    },
  },
]);
