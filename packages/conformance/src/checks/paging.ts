import { check, checksOf } from '../check.js';
import { expectHeader, expectSame, expectText, expectThat } from '../expectations.js';
import { Failure } from '../failure.js';
import { aResource, at } from '../inventions.js';
import { ALL_TIME } from '../listing.js';
import { idsOf, readCursor, readPage } from '../reading.js';
import { rejectsQueries } from '../row.js';
import { seed, seedMany } from '../seeding.js';
import { walk } from '../walk.js';

const MEBIBYTE = 1_048_576;
/** Bookings of some 50 kB, three bytes to a character: 1.5 MiB together. */
const LARGE = 32;
const LARGE_TEXT = '\u20ac'.repeat(16_600);

export const paging = checksOf('The list', 'interface', [
  check('list.limit.default', '20 bookings are on a page where no `limit` is given', async (service) => {
    const [resource] = await seedMany(service, 21);
    const response = await service.list({ resource_id: resource });
    expectSame(response, 'bookings on the page', readPage(response).bookings.length, 20);
  }),
  check(
    'list.limit.pages',
    '`limit` is at most how many bookings are on a page, and `next_cursor` is null exactly when nothing follows',
    async (service) => {
      const { resource } = await seed(service, [0, 1, 2, 3]);
      for (const [limit, sizes] of [
        [1, [1, 1, 1, 1]],
        [2, [2, 2]],
        [3, [3, 1]],
        [4, [4]],
        [100, [4]],
      ] as const) {
        const query = { resource_id: resource, limit };
        const pages = await walk(service, query);
        const got = pages.map(({ length }) => length);
        expectSame(await service.list(query), 'bookings on the pages', got, sizes);
      }
    },
  ),
  rejectsQueries(
    'list.limit.rejected',
    '`limit` is 1 to 100 in decimal digits, without a leading zero',
    ['0', '101', '-1', '%2B1', '01', '1.0', '1e1', '', '%201', '%D9%A3', 'all', '99999999999999999999'].map((limit) => [
      `limit=${limit}`,
      '#/limit',
    ]),
  ),
  check('list.empty', 'a list without bookings is a page without any, and nothing follows', async (service) => {
    const response = await service.list({ resource_id: aResource() });
    const { bookings, next_cursor } = readPage(response);
    expectSame(response, 'bookings and next_cursor', [bookings, next_cursor], [[], null]);
  }),
  check('list.link', 'where a page follows, Link names it, with the parameters of this one', async (service) => {
    const { resource } = await seed(service, [0, 1, 2], `${aResource()} &"<é>`);
    const query = { resource_id: resource, limit: 2, from: at(0), to: '2030-01-02T00:00:00+01:00' };
    const first = await service.list(query);
    const link = first.headers['link'] ?? '(absent)';
    const target = /^<(\/v1\/bookings\?[^<>"\s]+)>\s*;\s*rel="?next"?$/.exec(link)?.[1];
    expectThat(first, target !== undefined, 'link: </v1/bookings?...>; rel="next"', `link: ${link}`);
    const next = await service.list({ ...query, cursor: readCursor(first) });
    expectText(await service.get(target!), next.text);
  }),
  check('list.link.last', 'Link is absent on the last page', async (service) => {
    expectHeader(await service.list({ resource_id: aResource() }), 'link', undefined);
  }),
  check('list.limit.most', '100 bookings are on a page where `limit` is 100', async (service) => {
    const [resource] = await seedMany(service, 101);
    const response = await service.list({ resource_id: resource, limit: 100 });
    expectSame(response, 'bookings on the page', readPage(response).bookings.length, 100);
  }),
  check(
    'list.page.bytes',
    'a page ends early at about 1 MiB, has at least one booking, and the next one goes on from there',
    async (service) => {
      const [resource, ids] = await seedMany(service, LARGE, { text: LARGE_TEXT });
      for (const list of [{}, ALL_TIME]) {
        const walked: string[] = [];
        for (let cursor: string | null | undefined; cursor !== null;) {
          const query = { resource_id: resource, ...list, limit: 100, ...(cursor && { cursor }) };
          const response = await service.list(query);
          const page = readPage(response);
          const { length } = response.bytes;
          const isFull = page.next_cursor === null || length > 0.75 * MEBIBYTE;
          expectThat(response, isFull && length < 1.25 * MEBIBYTE, 'a page of about 1 MiB', `${length} bytes`);
          if (page.bookings.length === 0) throw new Failure('a booking on the page', 'none', response.request);
          walked.push(...idsOf(page.bookings));
          cursor = page.next_cursor;
        }
        expectSame(await service.list({ resource_id: resource, limit: 1 }), 'ids', walked.toSorted(), ids.toSorted());
      }
    },
  ),
]);
