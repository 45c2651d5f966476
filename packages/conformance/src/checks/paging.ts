import { checksOf } from '../check.js';
import { expectHeader, expectSame, expectText, expectThat } from '../expectations.js';
import { aResource, at } from '../inventions.js';
import { idsOf, readCursor, readPage } from '../reading.js';
import { seed } from '../seeding.js';
import { walk } from '../walk.js';
import { rejectsQueries } from './rejections.js';

export const paging = checksOf('The list', 'interface', [
  {
    id: 'list.limit.default',
    title: '20 bookings are on a page where no `limit` is given',
    writes: true,
    run: async (service) => {
      const { resource } = await seed(
        service,
        Array.from({ length: 21 }, (_, hour) => hour),
      );
      const response = await service.list({ resource_id: resource });
      expectSame(response, 'bookings on the page', readPage(response).bookings.length, 20);
    },
  },
  {
    id: 'list.limit.pages',
    title: '`limit` is at most how many bookings are on a page, and `next_cursor` is null exactly when nothing follows',
    writes: true,
    run: async (service) => {
      const { resource } = await seed(service, [0, 1, 2, 3]);
      for (const [limit, sizes] of [
        [1, [1, 1, 1, 1]],
        [2, [2, 2]],
        [3, [3, 1]],
        [4, [4]],
        [100, [4]],
      ] as const) {
        const pages = await walk(service, { resource_id: resource, limit });
        const last = await service.list({ resource_id: resource, limit });
        expectSame(
          last,
          'bookings on the pages',
          pages.map(({ length }) => length),
          sizes,
        );
      }
    },
  },
  rejectsQueries(
    { id: 'list.limit.rejected', title: '`limit` is 1 to 100 in decimal digits, without a leading zero' },
    ['0', '101', '-1', '%2B1', '01', '1.0', '1e1', '', '%201', '%D9%A3', 'all', '99999999999999999999'].map((limit) => [
      `limit=${limit}`,
      '#/limit',
    ]),
  ),
  {
    id: 'list.empty',
    title: 'a list without bookings is a page without any, and nothing follows',
    writes: false,
    run: async (service) => {
      const response = await service.list({ resource_id: aResource() });
      const { bookings, next_cursor } = readPage(response);
      expectSame(response, 'bookings and next_cursor', [bookings, next_cursor], [[], null]);
    },
  },
  {
    id: 'list.link',
    title: 'where `next_cursor` is not null, Link names the next page, with the parameters of this one',
    writes: true,
    run: async (service) => {
      const { resource } = await seed(service, [0, 1, 2], `${aResource()} &"<é>`);
      const query = { resource_id: resource, sort: 'start', limit: 2, from: at(0), to: '2030-01-02T00:00:00+01:00' };
      const first = await service.list(query);
      const link = first.headers['link'] ?? '(absent)';
      const target = /^<(\/v1\/bookings\?[^<>"\s]+)>\s*;\s*rel="?next"?$/.exec(link)?.[1];
      expectThat(first, target !== undefined, 'link: </v1/bookings?...>; rel="next"', `link: ${link}`);
      const next = await service.list({ ...query, cursor: readCursor(first) });
      expectText(await service.get(target!), next.text);
    },
  },
  {
    id: 'list.link.last',
    title: 'Link is absent on the last page',
    writes: false,
    run: async (service) => expectHeader(await service.list({ resource_id: aResource() }), 'link', undefined),
  },
  {
    id: 'list.walk.once',
    title: 'a walk shows every booking exactly once, whatever the size of its pages',
    writes: true,
    run: async (service) => {
      const { resource, bookings } = await seed(service, [0, 1, 2, 3, 4, 5, 6]);
      for (const limit of [1, 3]) {
        for (const sort of ['-created_at', 'created_at', 'start', '-start']) {
          const query = { resource_id: resource, sort, limit };
          const seen = idsOf((await walk(service, query)).flat());
          expectSame(await service.list(query), 'the ids of the walk', seen.toSorted(), idsOf(bookings).toSorted());
        }
      }
    },
  },
]);
