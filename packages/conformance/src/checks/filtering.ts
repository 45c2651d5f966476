import { check, checksOf } from '../check.js';
import { expectSame, expectThat } from '../expectations.js';
import { aResource, aSlot, at } from '../inventions.js';
import { expectListed } from '../listing.js';
import { expectFault, expectProblem, pointersOf } from '../problems.js';
import { type Booking, idsOf, readObject, readPage } from '../reading.js';
import { rejectsQueries, row } from '../row.js';
import { seed } from '../seeding.js';
import { COLLECTION, listOf } from '../service.js';

const MILLISECOND = 1 / 3_600_000;

export const filtering = checksOf('The list', 'interface', [
  check('list.resource-id', '`resource_id` keeps bookings whose slot is on exactly this resource', async (service) => {
    const resource = `${aResource()} é &=+%/?#`;
    const { bookings } = await seed(service, [9], resource);
    await seed(service, [9], resource.toUpperCase());
    await seed(service, [9], `${resource} `);
    await service.book({ resource_id: resource });
    await expectListed(service, { resource_id: resource }, bookings);
  }),
  rejectsQueries(
    'list.resource-id.rejected',
    '`resource_id` has the rules of the slot',
    ['', '%00', 'room%0A', '%7F', '%C2%80', 'x'.repeat(201)].map((name) => [`resource_id=${name}`, '#/resource_id']),
  ),
  check('list.window', '`from` and `to` keep only bookings whose slot overlaps [from, to)', async (service) => {
    const resource_id = aResource();
    const bookings: Booking[] = [];
    for (const [start, end] of [
      [7, 9 + MILLISECOND],
      [9.25, 9.5],
      [9.75, 12],
    ] as const) {
      bookings.push(await service.book({ slot: aSlot(resource_id, start, end) }));
    }
    await seed(service, [5, 14], resource_id);
    await expectListed(service, { resource_id, from: at(9), to: at(10) }, bookings);
  }),
  check('list.window.edges', 'a slot that ends at `from` or starts at `to` does not overlap', async (service) => {
    const { resource: resource_id, bookings } = await seed(service, [8, 9, 10]);
    await expectListed(service, { resource_id, from: at(8.5), to: at(10) }, bookings.slice(1, 2));
    await expectListed(service, { resource_id, from: at(8.5 - MILLISECOND), to: at(10 + MILLISECOND) }, bookings);
  }),
  check('list.window.open', 'either of `from` and `to` alone leaves the other side open', async (service) => {
    const { resource: resource_id, bookings } = await seed(service, [-90_000, 8, 9, 90_000]);
    await expectListed(service, { resource_id, from: at(8.75) }, bookings.slice(2));
    await expectListed(service, { resource_id, to: at(8.75) }, bookings.slice(0, 2));
  }),
  check(
    'list.window.offset',
    '`from` and `to` may have any offset, and zeros after the milliseconds',
    async (service) => {
      const { resource: resource_id, bookings } = await seed(service, [8, 9, 10]);
      const window = { from: '2030-01-01T09:45:00.0000000+01:00', to: '2030-01-01T04:45:00-05:00' };
      await expectListed(service, { resource_id, ...window }, bookings.slice(1, 2));
    },
  ),
  check('list.window.without-slot', 'with `from` or `to`, bookings without a slot are left out', async (service) => {
    await service.book({ note: 'no slot' });
    for (const query of [{ from: at(0) }, { to: at(90_000) }, { from: at(0), to: at(90_000) }]) {
      const response = await service.list({ ...query, limit: 100 });
      const hasSlots = readPage(response).bookings.every(({ slot }) => slot !== undefined);
      expectThat(response, hasSlots, 'only bookings with a slot');
    }
  }),
  rejectsQueries(
    'list.window.rejected',
    '`from` and `to` are instants',
    ['2030-01-01', '2030-02-30T00:00:00Z', '2030-01-01T09:00:00', '2030-01-01T09:00:00.0001Z', '', 'now'].flatMap(
      (instant) => [
        [`from=${instant}`, '#/from'],
        [`to=${instant}`, '#/to'],
      ],
    ),
  ),
  row(
    'list.window.order',
    '`from` is before `to`',
    'invalid-request',
    [at(9), at(8), '2030-01-01T10:00:00+01:00'].map((to) => `GET ${listOf({ from: at(9), to })}`),
  ),
  check('list.plus', 'a `+` in a query is a space, its problem says so, and `%2B` is a plus', async (service) => {
    const { resource, bookings } = await seed(service, [9]);
    const name = resource.replaceAll(' ', '+');
    const response = await service.get(`${COLLECTION}?resource_id=${name}&from=2030-01-01T09:00:00%2B00:00`);
    expectSame(response, 'ids', idsOf(readPage(response).bookings), idsOf(bookings));
    const space = await service.get(`${COLLECTION}?from=2030-01-01T09:00:00+02:00`);
    expectFault(space, 'invalid-request', '#/from');
    expectThat(space, String(readObject(space)['detail']).includes('%2B'), 'a detail with `%2B`');
  }),
  rejectsQueries('list.query.unknown', 'a parameter that is unknown is 400', [
    ['page=2', '#/page'],
    ['Limit=2', '#/Limit'],
    ['limit%5B%5D=2', '#/limit%5B%5D'],
    ['__proto__=2', '#/__proto__'],
    ['constructor=2', '#/constructor'],
    ['=2', '#/'],
    ['limit', '#/limit'],
    [`${'&'.repeat(1_500)}page=2`, '#/page'],
    ['limit=2&sort=created_at&offset=1', '#/offset'],
  ]),
  rejectsQueries('list.query.twice', 'a parameter that is given more than once is 400', [
    ['limit=2&limit=3', '#/limit'],
    ['resource_id=a&resource_id=a', '#/resource_id'],
    ['sort=created_at&s%6Frt=created_at', '#/sort'],
    ['cursor=a&cursor=b', '#/cursor'],
  ]),
  row(
    'list.query.utf-8',
    'a query that is not percent-encoded UTF-8 is 400',
    'invalid-request',
    ['%FF', '%C3', '%C0%80', '%ED%A0%80', '%zz', '%'].flatMap((escape) => [
      `GET /v1/bookings?resource_id=${escape}`,
      `GET /v1/bookings?${escape}=1`,
    ]),
  ),
  check('list.query.errors', 'an invalid-request for a query lists at most 20 `errors`', async (service) => {
    const names = Array.from({ length: 60 }, (_, n) => `p${n}=1`).join('&');
    for (const query of [names, `${names}&${names}`]) {
      const response = await service.get(`${COLLECTION}?${query}`);
      expectProblem(response, 'invalid-request');
      const { length } = pointersOf(response);
      expectThat(response, length >= 1 && length <= 20, '1 to 20 errors', `${length} errors`);
    }
  }),
]);
