import { check, checksOf } from '../check.js';
import { expectSame, expectThat } from '../expectations.js';
import { aResource, aSlot, at } from '../fixtures.js';
import { expectListed, seed } from '../listing.js';
import { expectErrorAt, expectProblem, pointersOf } from '../problems.js';
import { type Booking, idsOf, readPage } from '../reading.js';
import { COLLECTION, listOf } from '../service.js';
import { rejectsQueries, responds } from '../statements.js';

const MILLISECOND = 1 / 3_600_000;

const BAD_RESOURCES = ['', '%00', 'room%0A', '%7F', '%C2%80', 'x'.repeat(201)];
const BAD_INSTANTS = [
  '2030-01-01',
  '2030-02-30T00:00:00Z',
  '2030-01-01T09:00:00',
  '2030-01-01T09:00:00.0001Z',
  '',
  'now',
];
const BAD_ESCAPES = ['%FF', '%C3', '%C0%80', '%ED%A0%80', '%zz', '%'];

export const filtering = checksOf('The list', 'interface', [
  check('list.resource-id', '`resource_id` lists only bookings whose slot is on this resource', async (service) => {
    const resource = `${aResource()} é &=+%/?#`;
    const { bookings } = await seed(service, [9], resource);
    await seed(service, [9], resource.toUpperCase());
    await seed(service, [9], `${resource} `);
    await service.book({ resource_id: resource });
    await expectListed(service, { resource_id: resource }, bookings);
  }),
  rejectsQueries('list.resource-id.rejected', '`resource_id` is as in the slot', {
    '#/resource_id': BAD_RESOURCES.map((name) => `resource_id=${name}`),
  }),
  check('list.window', '`from` and `to` list only bookings whose slot overlaps `[from, to)`', async (service) => {
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
  check('list.window.edges', 'a slot that only touches `[from, to)` is left out', async (service) => {
    const { resource: resource_id, bookings } = await seed(service, [8, 9, 10]);
    await expectListed(service, { resource_id, from: at(8.5), to: at(10) }, bookings.slice(1, 2));
    await expectListed(service, { resource_id, from: at(8.5 - MILLISECOND), to: at(10 + MILLISECOND) }, bookings);
  }),
  check('list.window.open', '`from` or `to` alone leaves the other side open', async (service) => {
    const { resource: resource_id, bookings } = await seed(service, [-90_000, 8, 9, 90_000]);
    await expectListed(service, { resource_id, from: at(8.75) }, bookings.slice(2));
    await expectListed(service, { resource_id, to: at(8.75) }, bookings.slice(0, 2));
  }),
  check('list.window.offset', '`from` and `to` may have any offset and zeros at the end', async (service) => {
    const { resource: resource_id, bookings } = await seed(service, [8, 9, 10]);
    const window = { from: '2030-01-01T09:45:00.0000000+01:00', to: '2030-01-01T04:45:00-05:00' };
    await expectListed(service, { resource_id, ...window }, bookings.slice(1, 2));
  }),
  check('list.window.without-slot', '`from` and `to` leave out bookings without a slot', async (service) => {
    await service.book({ note: 'no slot' });
    for (const query of [{ from: at(0) }, { to: at(90_000) }, { from: at(0), to: at(90_000) }]) {
      const response = await service.list({ ...query, limit: 100 });
      const hasSlots = readPage(response).bookings.every(({ slot }) => slot !== undefined);
      expectThat(response, hasSlots, 'only bookings with a slot');
    }
  }),
  rejectsQueries('list.window.rejected', '`from` and `to` are instants', {
    '#/from': BAD_INSTANTS.map((instant) => `from=${instant}`),
    '#/to': BAD_INSTANTS.map((instant) => `to=${instant}`),
  }),
  responds('list.window.order', '`from` is before `to`', 'invalid-request', [
    `GET ${listOf({ from: at(9), to: at(8) })}`,
    `GET ${listOf({ from: at(9), to: at(9) })}`,
    `GET ${listOf({ from: at(9), to: '2030-01-01T10:00:00+01:00' })}`,
  ]),
  check('list.plus', 'a `+` in a query is a space', async (service) => {
    const { resource, bookings } = await seed(service, [9]);
    const name = resource.replaceAll(' ', '+');
    const response = await service.get(`${COLLECTION}?resource_id=${name}&from=2030-01-01T09:00:00%2B00:00`);
    expectSame(response, 'ids', idsOf(readPage(response).bookings), idsOf(bookings));
    const space = await service.get(`${COLLECTION}?from=2030-01-01T09:00:00+02:00`);
    expectErrorAt(space, 'invalid-request', '#/from');
  }),
  rejectsQueries('list.query.unknown', 'an unknown parameter is 400', {
    '#/page': ['page=2', `${'&'.repeat(1_500)}page=2`],
    '#/Limit': ['Limit=2'],
    '#/limit%5B%5D': ['limit%5B%5D=2'],
    '#/__proto__': ['__proto__=2'],
    '#/constructor': ['constructor=2'],
    '#/': ['=2'],
    '#/offset': ['limit=2&sort=created_at&offset=1'],
  }),
  rejectsQueries('list.query.twice', 'a repeated parameter is 400', {
    '#/limit': ['limit=2&limit=3'],
    '#/resource_id': ['resource_id=a&resource_id=a'],
    '#/sort': ['sort=created_at&s%6Frt=created_at'],
    '#/cursor': ['cursor=a&cursor=b'],
  }),
  responds('list.query.utf-8', 'a query that is not percent-encoded UTF-8 is 400', 'invalid-request', [
    ...BAD_ESCAPES.map((escape) => `GET /v1/bookings?resource_id=${escape}`),
    ...BAD_ESCAPES.map((escape) => `GET /v1/bookings?${escape}=1`),
  ]),
  check('list.query.errors', 'an `invalid-request` lists at most 20 `errors`', async (service) => {
    const names = Array.from({ length: 60 }, (_, n) => `p${n}=1`).join('&');
    for (const query of [names, `${names}&${names}`]) {
      const response = await service.get(`${COLLECTION}?${query}`);
      expectProblem(response, 'invalid-request');
      const { length } = pointersOf(response);
      expectThat(response, length >= 1 && length <= 20, '1 to 20 errors', `${length} errors`);
    }
  }),
]);
