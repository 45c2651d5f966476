import { check, checksOf, type Statement } from '../check.js';
import { brief, expectSame } from '../expectations.js';
import { Failure } from '../failure.js';
import { aFarHour, aResource, at } from '../fixtures.js';
import { WIDE_WINDOW, halfHour, seed, sortedFor, SORTS, type Walk, walk } from '../listing.js';
import { type Booking, idsOf } from '../reading.js';
import type { Query, Service } from '../service.js';

const HOURS = [4, 1, 6, 3, 0, 5, 2];
const EVEN_HOURS = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22];

/** Maximum pages that a walk reads to find the bookings of this check, while others book. */
const NEWEST_PAGES = 40;

/** Expects walks to show, in the order of the list, exactly the bookings `listed` out of all that were `made`. */
async function expectWalks(
  service: Service,
  query: Query,
  made: readonly Booking[],
  listed: readonly Booking[],
): Promise<void> {
  const own = new Set(idsOf(made));
  for (const limit of [1, 3]) {
    const walked = await walk(service, { ...query, limit });
    const ids = idsOf(walked.pages.flat()).filter((id) => own.has(id));
    expectSame(walked, 'ids of a walk', ids, idsOf(sortedFor(query, listed)));
  }
}

export const walks = checksOf('The list', 'interface', [
  check('list.walk.once', 'every booking appears exactly once, whatever the `limit`', async (service) => {
    const { resource: resource_id, bookings } = await seed(service, HOURS);
    for (const sort of SORTS) await expectWalks(service, { resource_id, sort }, bookings, bookings);
  }),
  check('list.walk.window', 'a window has every booking exactly once, by start', async (service) => {
    const hour = aFarHour();
    const made: Booking[] = [];
    // Together with the one from `HOURS`, four bookings start at the same instant.
    for (const each of [3, ...HOURS, 3, 3]) made.push(...(await seed(service, [hour + each])).bookings);
    await expectWalks(
      service,
      { from: at(hour + 0.5), to: at(hour + 6) },
      made,
      sortedFor({ from: at(hour) }, made).slice(1, 9),
    );
  }),
  check('list.walk.resource-window', 'a window of a resource has every booking exactly once', async (service) => {
    const { resource: resource_id, bookings } = await seed(service, HOURS);
    const byStart = sortedFor(WIDE_WINDOW, bookings);
    const from = at(0.5);
    const to = at(6);
    await expectWalks(service, { resource_id, from, to }, bookings, byStart.slice(1, 6));
    await expectWalks(service, { resource_id, from }, bookings, byStart.slice(1));
    await expectWalks(service, { resource_id, to }, bookings, byStart.slice(0, 6));
  }),
]);

/** Returns a function that books three new slots on each call: before, between and after those of `EVEN_HOURS`. */
function otherWriter(service: Service, resource: string): () => Promise<void> {
  let round = 0;
  return async () => {
    const hour = round++;
    const hours = [-1 - hour, 2 * hour + 1, 200 + hour];
    await Promise.all(hours.map((each) => service.book({ slot: halfHour(resource, each) })));
  };
}

/** Expects a walk to show all ids in `before`, and no booking twice. */
function expectOnce(walked: Walk, before: readonly string[]): void {
  const ids = idsOf(walked.pages.flat());
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
  expectSame(walked, 'bookings that a walk shows twice', twice, []);
  const missed = before.filter((id) => !ids.includes(id));
  expectSame(walked, 'bookings that a walk misses', missed, []);
}

const busyWalk = (name: string, walked: string, query: Query): Statement =>
  check(`walk.busy.${name}`, `a walk ${walked} has every booking once while others write`, async (service) => {
    const { resource, bookings } = await seed(service, EVEN_HOURS);
    const ofResource = { resource_id: resource, ...query };
    expectOnce(await walk(service, ofResource, otherWriter(service, resource)), idsOf(bookings));
  });

export const busyWalks = checksOf('The list', 'concurrency', [
  ...SORTS.map((sort) => busyWalk(sort, `by ${sort}`, { sort, limit: 5 })),
  busyWalk('window', 'of a window', { from: at(0), to: at(23), limit: 5 }),
  check('walk.busy.newest', 'a walk has the newest bookings once while others write', async (service) => {
    const before: string[] = [];
    for (let n = 0; n < 12; n++) before.push((await service.book({ n })).booking_id);
    const write = otherWriter(service, aResource());
    let pages = 0;
    const walked = await walk(service, { limit: 5 }, async (seen) => {
      await write();
      const ids = idsOf(seen);
      return before.every((id) => ids.includes(id)) || ++pages === NEWEST_PAGES ? 'stop' : undefined;
    });
    expectOnce(walked, before);
  }),
  check('walk.busy.at-once', 'a walk begun after the 201 of a booking includes it', async (service) => {
    const resource = aResource();
    const bookAndWalk = async (_: unknown, hour: number): Promise<void> => {
      const { booking_id } = await service.book({ slot: halfHour(resource, hour) });
      // The new booking is near the end if the oldest come first: the walk has to go through the pages before it.
      const query = { resource_id: resource, sort: 'created_at', limit: 7 };
      const { request, pages } = await walk(service, query);
      const seen = idsOf(pages.flat());
      if (!seen.includes(booking_id)) throw new Failure(`a walk with ${booking_id}`, brief(seen), request);
    };
    await Promise.all(Array.from({ length: 20 }, bookAndWalk));
  }),
]);
