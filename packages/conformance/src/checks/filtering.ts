import { checksOf } from '../check.js';
import { expectSame, expectThat } from '../expectations.js';
import { aFarHour, aResource, aSlot, at } from '../inventions.js';
import { expectFault, expectProblem, pointersOf } from '../problems.js';
import { idsOf, readBooking, readPage } from '../reading.js';
import { seed } from '../seeding.js';
import { COLLECTION, type Query, type Service } from '../service.js';
import { rejectsQueries } from './rejections.js';

const MILLISECOND = 1 / 3_600_000;

/** Sees that a query shows exactly these bookings, whatever their order. */
async function expectListed(service: Service, query: Query, ids: readonly string[]): Promise<void> {
  const response = await service.list({ limit: 100, ...query });
  expectSame(response, 'ids', idsOf(readPage(response).bookings).toSorted(), ids.toSorted());
}

export const filtering = checksOf('The list', 'interface', [
  {
    id: 'list.resource-id',
    title: '`resource_id` keeps only bookings whose slot is on exactly this resource',
    writes: true,
    run: async (service) => {
      const resource = `${aResource()} é &=+%/?#`;
      const [one] = (await seed(service, [9], resource)).bookings;
      await seed(service, [9], resource.toUpperCase());
      await seed(service, [9], `${resource} `);
      readBooking(await service.create({ resource_id: resource }));
      await expectListed(service, { resource_id: resource }, [one!.booking_id]);
    },
  },
  rejectsQueries(
    { id: 'list.resource-id.rejected', title: '`resource_id` has the rules of the slot' },
    ['', '%00', 'room%0A', '%7F', '%C2%80', 'x'.repeat(201)].map((name) => [`resource_id=${name}`, '#/resource_id']),
  ),
  {
    id: 'list.window',
    title: '`from` and `to` keep only bookings whose slot overlaps [from, to)',
    writes: true,
    run: async (service) => {
      const resource_id = aResource();
      const ids: string[] = [];
      for (const [start, end] of [
        [7, 9 + MILLISECOND],
        [9.25, 9.5],
        [9.75, 12],
      ] as const) {
        ids.push(readBooking(await service.create({ slot: aSlot(resource_id, start, end) })).booking_id);
      }
      await seed(service, [5, 14], resource_id);
      await expectListed(service, { resource_id, from: at(9), to: at(10) }, ids);
    },
  },
  {
    id: 'list.window.edges',
    title: 'a slot that ends at `from` or starts at `to` does not overlap',
    writes: true,
    run: async (service) => {
      const { resource: resource_id, bookings } = await seed(service, [8, 9, 10]);
      const ids = idsOf(bookings);
      await expectListed(service, { resource_id, from: at(8.5), to: at(10) }, ids.slice(1, 2));
      await expectListed(service, { resource_id, from: at(8.5 - MILLISECOND), to: at(10 + MILLISECOND) }, ids);
    },
  },
  {
    id: 'list.window.around',
    title: 'a slot that begins long before and ends long after overlaps, on any resource',
    writes: true,
    run: async (service) => {
      const hour = aFarHour();
      const slot = aSlot(aResource(), hour - 9_000, hour + 9_000);
      const { booking_id } = readBooking(await service.create({ slot }));
      const response = await service.list({ from: at(hour), to: at(hour + MILLISECOND), limit: 100 });
      expectThat(response, idsOf(readPage(response).bookings).includes(booking_id), `a list with ${booking_id}`);
    },
  },
  {
    id: 'list.window.open',
    title: 'either of `from` and `to` alone leaves the other side open',
    writes: true,
    run: async (service) => {
      const { resource: resource_id, bookings } = await seed(service, [-90_000, 8, 9, 90_000]);
      const ids = idsOf(bookings);
      await expectListed(service, { resource_id, from: at(8.75) }, ids.slice(2));
      await expectListed(service, { resource_id, to: at(8.75) }, ids.slice(0, 2));
    },
  },
  {
    id: 'list.window.offset',
    title: '`from` and `to` may have any offset',
    writes: true,
    run: async (service) => {
      const { resource: resource_id, bookings } = await seed(service, [8, 9, 10]);
      const window = { from: '2030-01-01T09:45:00+01:00', to: '2030-01-01T04:45:00-05:00' };
      await expectListed(service, { resource_id, ...window }, idsOf(bookings).slice(1, 2));
    },
  },
  {
    id: 'list.window.without-slot',
    title: 'with `from` or `to`, bookings without a slot are left out',
    writes: true,
    run: async (service) => {
      readBooking(await service.create({ note: 'no slot' }));
      for (const query of [{ from: at(0) }, { to: at(90_000) }, { from: at(0), to: at(90_000) }]) {
        const response = await service.list({ ...query, limit: 100 });
        const hasSlots = readPage(response).bookings.every(({ slot }) => slot !== undefined);
        expectThat(response, hasSlots, 'only bookings with a slot');
      }
    },
  },
  rejectsQueries(
    { id: 'list.window.rejected', title: '`from` and `to` are instants' },
    ['2030-01-01', '2030-02-30T00:00:00Z', '2030-01-01T09:00:00', '2030-01-01T09:00:00.0000Z', '', 'now'].flatMap(
      (instant) => [
        [`from=${instant}`, '#/from'],
        [`to=${instant}`, '#/to'],
      ],
    ),
  ),
  {
    id: 'list.window.order',
    title: '`from` is before `to`',
    writes: false,
    run: async (service) => {
      for (const to of [at(9), at(8), '2030-01-01T10:00:00+01:00']) {
        expectProblem(await service.list({ from: at(9), to }), 'invalid-request');
      }
    },
  },
  {
    id: 'list.plus',
    title: 'a `+` in a query is a space, and `%2B` is a plus',
    writes: true,
    run: async (service) => {
      const { resource, bookings } = await seed(service, [9]);
      const name = resource.replaceAll(' ', '+');
      const response = await service.get(`${COLLECTION}?resource_id=${name}&from=2030-01-01T09:00:00%2B00:00`);
      expectSame(response, 'ids', idsOf(readPage(response).bookings), idsOf(bookings));
      const space = await service.get(`${COLLECTION}?from=2030-01-01T09:00:00+00:00`);
      expectFault(space, 'invalid-request', '#/from');
    },
  },
]);

export const queries = checksOf('The list', 'interface', [
  rejectsQueries({ id: 'list.query.unknown', title: 'a parameter that is unknown is 400' }, [
    ['page=2', '#/page'],
    ['Limit=2', '#/Limit'],
    ['limit%5B%5D=2', '#/limit%5B%5D'],
    ['__proto__=2', '#/__proto__'],
    ['constructor=2', '#/constructor'],
    ['=2', '#/'],
    ['limit', '#/limit'],
    [`${'&'.repeat(1_500)}page=2`, '#/page'],
    ['limit=2&sort=start&offset=1', '#/offset'],
  ]),
  rejectsQueries({ id: 'list.query.twice', title: 'a parameter that is given more than once is 400' }, [
    ['limit=2&limit=3', '#/limit'],
    ['resource_id=a&resource_id=a', '#/resource_id'],
    ['sort=start&s%6Frt=start', '#/sort'],
    ['cursor=a&cursor=b', '#/cursor'],
  ]),
  {
    id: 'list.query.utf-8',
    title: 'a query that is not percent-encoded UTF-8 is 400',
    writes: false,
    run: async (service) => {
      for (const escape of ['%FF', '%C3', '%C0%80', '%ED%A0%80', '%zz', '%']) {
        for (const query of [`resource_id=${escape}`, `${escape}=1`]) {
          expectProblem(await service.get(`${COLLECTION}?${query}`), 'invalid-request');
        }
      }
    },
  },
  {
    id: 'list.query.errors',
    title: 'an invalid-request for a query lists at most 20 `errors`',
    writes: false,
    run: async (service) => {
      const names = Array.from({ length: 60 }, (_, n) => `p${n}=1`).join('&');
      for (const query of [names, `${names}&${names}`]) {
        const response = await service.get(`${COLLECTION}?${query}`);
        expectProblem(response, 'invalid-request');
        const { length } = pointersOf(response);
        expectThat(response, length >= 1 && length <= 20, '1 to 20 errors', `${length} errors`);
      }
    },
  },
]);
