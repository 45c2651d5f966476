import { check, checksOf, type Statement } from '../check.js';
import { expectSame, expectThat } from '../expectations.js';
import { aFarHour, aResource, at } from '../inventions.js';
import { ALL_TIME, sortedFor, SORTS } from '../listing.js';
import { type Booking, idsOf } from '../reading.js';
import { halfHour, seed } from '../seeding.js';
import type { Query, Service } from '../service.js';
import { walk } from '../walk.js';

/** Pages of the whole list on which bookings that were just made have to be. */
const NEWEST_PAGES = 40;

/** Books the first half of these hours, one after the other. @returns the bookings by their start */
async function book(service: Service, hours: readonly number[], resource: () => string): Promise<Booking[]> {
  const bookings: Booking[] = [];
  for (const hour of hours) bookings.push(await service.book({ slot: halfHour(resource(), hour) }));
  return sortedFor(ALL_TIME, bookings);
}

/** Sees that walks show, of the bookings that were made for them, exactly those of the list, in its order. */
async function expectWalks(service: Service, query: Query, made: Booking[], listed: Booking[]): Promise<void> {
  const own = new Set(idsOf(made));
  for (const limit of [1, 3]) {
    const walked = idsOf((await walk(service, { ...query, limit })).flat()).filter((id) => own.has(id));
    expectSame(await service.list({ ...query, limit }), 'ids of a walk', walked, idsOf(sortedFor(query, listed)));
  }
}

export const walks = checksOf('The list', 'interface', [
  check(
    'list.walk.once',
    'a walk shows every booking exactly once, in the order of its list, whatever the size of its pages',
    async (service) => {
      const resource_id = aResource();
      const bookings = await book(service, [4, 1, 6, 3, 0, 5, 2], () => resource_id);
      for (const sort of SORTS) await expectWalks(service, { resource_id, sort }, bookings, bookings);
    },
  ),
  check('list.walk.window', 'a walk of a window shows every booking in it exactly once, by start', async (service) => {
    const hour = aFarHour();
    // Three of them begin at the same instant.
    const hours = [4, 3, 1, 6, 3, 0, 5, 2, 3].map((each) => hour + each);
    const bookings = await book(service, hours, aResource);
    await expectWalks(service, { from: at(hour + 0.5), to: at(hour + 6) }, bookings, bookings.slice(1, 8));
  }),
  check(
    'list.walk.resource-window',
    'a walk of a window of one resource shows every booking in it exactly once, by start',
    async (service) => {
      const resource_id = aResource();
      const bookings = await book(service, [4, 1, 6, 3, 0, 5, 2], () => resource_id);
      const [from, to] = [at(0.5), at(6)];
      await expectWalks(service, { resource_id, from, to }, bookings, bookings.slice(1, 6));
      await expectWalks(service, { resource_id, from }, bookings, bookings.slice(1));
      await expectWalks(service, { resource_id, to }, bookings, bookings.slice(0, 6));
    },
  ),
]);

/** Others book before, between and after what is on the resource, at once. */
function others(service: Service, resource: string): () => Promise<void> {
  let round = 0;
  return async () => {
    const hour = round++;
    const hours = [-1 - hour, 2 * hour + 1, 200 + hour];
    await Promise.all(hours.map((each) => service.book({ slot: halfHour(resource, each) })));
  };
}

/** Sees that a walk shows each of these bookings exactly once, and no booking twice. */
async function expectOnce(service: Service, query: Query, before: readonly string[], walked: Booking[]): Promise<void> {
  const [first, ids] = [await service.list(query), idsOf(walked)];
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
  expectSame(first, 'bookings that a walk shows twice', twice, []);
  const missed = before.filter((id) => !ids.includes(id));
  expectSame(first, 'bookings that a walk misses', missed, []);
}

/** A statement about a walk of one resource on which others write. */
const busy = (name: string, walked: string, query: Query): Statement =>
  check(
    `walk.busy.${name}`,
    `a walk ${walked} shows every booking from before it exactly once, while others write`,
    async (service) => {
      const { resource, bookings } = await seed(service, [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22]);
      const ofResource = { resource_id: resource, ...query };
      const pages = await walk(service, ofResource, others(service, resource));
      await expectOnce(service, ofResource, idsOf(bookings), pages.flat());
    },
  );

export const busyWalks = checksOf('The list', 'concurrency', [
  ...SORTS.map((sort) => busy(sort, `by ${sort}`, { sort, limit: 5 })),
  busy('window', 'of a window', { from: at(0), to: at(23), limit: 5 }),
  check(
    'walk.busy.newest',
    'a walk of the whole list shows the newest bookings exactly once, while others write',
    async (service) => {
      const before: string[] = [];
      for (let n = 0; n < 12; n++) before.push((await service.book({ n })).booking_id);
      const write = others(service, aResource());
      let pages = 0;
      const walked = await walk(service, { limit: 5 }, async (seen) => {
        await write();
        const ids = idsOf(seen);
        return before.every((id) => ids.includes(id)) || ++pages === NEWEST_PAGES ? 'stop' : undefined;
      });
      await expectOnce(service, { limit: 5 }, before, walked.flat());
    },
  ),
  check(
    'walk.busy.at-once',
    'every booking is on a walk that begins after its create had its response, while many are made at once',
    async (service) => {
      const resource = aResource();
      const bookAndWalk = async (_: unknown, hour: number): Promise<void> => {
        const { booking_id } = await service.book({ slot: halfHour(resource, hour) });
        // Oldest first: the booking comes after all that were made before.
        const query = { resource_id: resource, sort: 'created_at', limit: 7 };
        const seen = idsOf((await walk(service, query)).flat());
        expectThat(await service.list(query), seen.includes(booking_id), `a walk with ${booking_id}`);
      };
      await Promise.all(Array.from({ length: 20 }, bookAndWalk));
    },
  ),
]);
