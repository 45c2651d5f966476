import { check, checksOf } from '../check.js';
import { expectHeader, expectSame, expectStatus, expectText, expectThat } from '../expectations.js';
import { Failure } from '../failure.js';
import { aResource, at } from '../fixtures.js';
import { WIDE_WINDOW, halfHour, seed, seedMany, walk } from '../listing.js';
import { expectProblem } from '../problems.js';
import { idsOf, readCursor, readPage } from '../reading.js';
import { COLLECTION } from '../service.js';
import { rejectsQueries } from '../statements.js';

const BAD_LIMITS = ['0', '101', '-1', '%2B1', '01', '1.0', '1e1', '', '%201', '%D9%A3', 'all', '99999999999999999999'];

/** Other links may stand beside this one. */
const NEXT_LINK = /<(\/v1\/bookings\?[^<>"\s]+)>\s*;\s*rel="?next\b/;

const MEBIBYTE = 1_048_576;
/** The number of large bookings, 1.5 MiB together. Each has 50 kB of characters that take three bytes. */
const LARGE_BOOKINGS = 32;
const LARGE_TEXT = '\u20ac'.repeat(16_600);

export const paging = checksOf('The list', 'interface', [
  check('list.limit.default', '`limit` is 1 to 100, default 20', async (service) => {
    const [resource] = await seedMany(service, 101);
    for (const [query, size] of [
      [{}, 20],
      [{ limit: 100 }, 100],
    ] as const) {
      const response = await service.list({ resource_id: resource, ...query });
      expectSame(response, 'bookings on the page', readPage(response).bookings.length, size);
    }
    // Of many bookings, the first and the last hold their slots.
    for (const index of [0, 100]) {
      expectProblem(await service.create({ slot: halfHour(resource, index) }), 'slot-taken');
    }
  }),
  check('list.limit.pages', '`next_cursor` is null exactly when nothing follows', async (service) => {
    const { resource } = await seed(service, [0, 1, 2, 3]);
    for (const [limit, sizes] of [
      [1, [1, 1, 1, 1]],
      [2, [2, 2]],
      [3, [3, 1]],
      [4, [4]],
      [100, [4]],
    ] as const) {
      const walked = await walk(service, { resource_id: resource, limit });
      const got = walked.pages.map(({ length }) => length);
      expectSame(walked, 'bookings on the pages', got, sizes);
    }
  }),
  rejectsQueries('list.limit.rejected', '`limit` is in decimal digits without a leading zero', {
    '#/limit': ['limit', ...BAD_LIMITS.map((limit) => `limit=${limit}`)],
  }),
  check('list.empty', 'a list without bookings is empty, and nothing follows', async (service) => {
    const response = await service.list({ resource_id: aResource() });
    const { bookings, next_cursor } = readPage(response);
    expectSame(response, 'bookings and next_cursor', [bookings, next_cursor], [[], null]);
  }),
  check('list.link', '`Link: </v1/bookings?...>; rel="next"` has the URL of the next page', async (service) => {
    const { resource } = await seed(service, [0, 1, 2], `${aResource()} &"<é>`);
    const query = { resource_id: resource, limit: 2, from: at(0), to: '2030-01-02T00:00:00+01:00' };
    const first = await service.list(query);
    const link = first.headers['link'] ?? '(absent)';
    const target = NEXT_LINK.exec(link)?.[1];
    expectThat(first, target !== undefined, 'link: </v1/bookings?...>; rel="next"', `link: ${link}`);
    const next = await service.list({ ...query, cursor: readCursor(first) });
    expectText(await service.get(target!), next.text);
    expectThat(next, !NEXT_LINK.test(next.headers['link'] ?? ''), 'no link: <...>; rel="next"');
  }),
  check('list.etag', 'a page has an `ETag`, which is 304 until the page changes', async (service) => {
    // A third booking changes the ids in the first list, but only the cursor of the second list.
    for (const query of ['', '&sort=created_at&limit=2']) {
      const { resource } = await seed(service, [0, 1]);
      const target = `${COLLECTION}?resource_id=${encodeURIComponent(resource)}${query}`;
      const first = await service.get(target);
      const tag = first.headers['etag'] ?? '(absent)';
      expectThat(first, /^(W\/)?"[!#-~]*"$/.test(tag), 'etag: a tag in double quotes', `etag: ${tag}`);
      const weak = tag.startsWith('W/') ? tag : `W/${tag}`;
      for (const method of ['GET', 'HEAD']) {
        const same = await service.send({ method, target, headers: { 'if-none-match': `"other", ${weak}` } });
        expectStatus(same, 304);
        expectText(same, '');
        expectHeader(same, 'etag', tag);
      }
      await service.book({ slot: halfHour(resource, 2) });
      const changed = await service.send({ target, headers: { 'if-none-match': tag } });
      expectStatus(changed, 200);
      expectThat(changed, changed.headers['etag'] !== tag, 'another etag', `etag: ${tag}`);
    }
  }),
  check('list.page.bytes', 'a page ends early at about 1 MiB, never before its first booking', async (service) => {
    const [resource, ids] = await seedMany(service, LARGE_BOOKINGS, { text: LARGE_TEXT });
    for (const list of [{}, WIDE_WINDOW]) {
      const query = { resource_id: resource, ...list, limit: 100 };
      const walked: string[] = [];
      let response = await service.list(query);
      for (;;) {
        const { bookings, next_cursor: cursor } = readPage(response);
        const { length } = response.bytes;
        const isFull = cursor === null || length > 0.75 * MEBIBYTE;
        expectThat(response, isFull && length < 1.25 * MEBIBYTE, 'a page of about 1 MiB', `${length} bytes`);
        if (bookings.length === 0) throw new Failure('a booking on the page', 'none', response.request);
        walked.push(...idsOf(bookings));
        if (cursor === null) break;
        response = await service.list({ ...query, cursor });
      }
      expectSame(response, 'ids', walked.toSorted(), ids.toSorted());
    }
  }),
]);
