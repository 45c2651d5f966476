import { check, checksOf } from '../check.js';
import { expectText, expectThat } from '../expectations.js';
import { at } from '../fixtures.js';
import { WIDE_WINDOW, expectListed, seed } from '../listing.js';
import { expectErrorAt } from '../problems.js';
import { readCursor, readPage } from '../reading.js';
import type { Query } from '../service.js';
import { rejectsQueries } from '../statements.js';

const INVENTED_CURSORS = ['', 'null', '0', '01a1fbf1-f170-7874-aaaf-5a38b3e156b6', 'WzEsMl0', 'x'.repeat(4_000)];

/** Variants of a cursor: with each character replaced in turn, and with characters removed or added. */
function damaged(cursor: string): string[] {
  const replaced = Array.from(cursor, (character, index) => {
    // A neighbouring character differs in its low bits, which a lax decoder ignores at the end of a cursor.
    const other = character === 'A' ? 'B' : String.fromCodePoint(character.codePointAt(0)! ^ 1);
    return cursor.slice(0, index) + other + cursor.slice(index + 1);
  });
  return [...replaced, cursor.slice(1), cursor.slice(0, -1), `${cursor}A`, `A${cursor}`, cursor + cursor];
}

export const cursors = checksOf('The list', 'interface', [
  check('list.cursor.url', 'a cursor is safe in a URL', async (service) => {
    const { resource: resource_id } = await seed(service, [0, 1]);
    for (const query of [{}, { sort: 'created_at' }, WIDE_WINDOW]) {
      const response = await service.list({ ...query, resource_id, limit: 1 });
      const cursor = readCursor(response);
      expectThat(response, /^[\w.~-]+$/.test(cursor), 'a cursor of letters, digits, -, ., _ and ~', cursor);
    }
  }),
  check('list.cursor.again', 'a cursor is valid any number of times', async (service) => {
    await service.ids(3);
    // The oldest bookings stay first, whatever others create.
    const query = { sort: 'created_at', limit: 1 };
    const cursor = readCursor(await service.list(query));
    const first = await service.list({ ...query, cursor });
    readPage(first);
    expectText(await service.list({ ...query, cursor }), first.text);
  }),
  check('list.cursor.limit', '`limit` may change from page to page', async (service) => {
    const { resource, bookings } = await seed(service, [0, 1, 2, 3, 4, 5]);
    const query = { resource_id: resource, ...WIDE_WINDOW };
    const cursor = readCursor(await service.list({ ...query, limit: 2 }));
    for (const limit of [1, 3, 100]) {
      await expectListed(service, { ...query, limit, cursor }, bookings.slice(2, 2 + limit));
    }
  }),
  check('list.cursor.bound', 'a cursor with another `resource_id`, `from`, `to` or `sort` is 400', async (service) => {
    const { resource: resource_id } = await seed(service, [0, 1, 2]);
    const from = at(0);
    const to = at(20);
    const lists: [Query, Query[]][] = [
      [{ resource_id }, [{}, { resource_id, from }, { resource_id, sort: 'created_at' }]],
      [
        { resource_id, from, to },
        [
          { resource_id: `${resource_id} `, from, to },
          { resource_id, from: at(1), to },
          { resource_id, from, to: at(21) },
          { from, to },
          { resource_id, to },
          { resource_id, from },
          { resource_id },
        ],
      ],
    ];
    for (const [list, others] of lists) {
      const cursor = readCursor(await service.list({ ...list, limit: 1 }));
      for (const other of others)
        expectErrorAt(await service.list({ ...other, cursor }), 'invalid-request', '#/cursor');
      readPage(await service.list({ ...list, cursor }));
    }
  }),
  check('list.cursor.default-sort', 'the default `sort` may be named on one page alone', async (service) => {
    await service.ids(2);
    const named = { sort: '-created_at', limit: 1 };
    const unnamed = { limit: 1 };
    readPage(await service.list({ ...unnamed, cursor: readCursor(await service.list(named)) }));
    readPage(await service.list({ ...named, cursor: readCursor(await service.list(unnamed)) }));
  }),
  check('list.cursor.damaged', 'a damaged cursor is 400', async (service) => {
    const { resource: resource_id } = await seed(service, [0, 1]);
    const query = { resource_id, ...WIDE_WINDOW, limit: 1 };
    for (const cursor of damaged(readCursor(await service.list(query)))) {
      expectErrorAt(await service.list({ ...query, cursor }), 'invalid-request', '#/cursor');
    }
  }),
  rejectsQueries('list.cursor.invented', 'an invented cursor is 400', {
    '#/cursor': INVENTED_CURSORS.map((cursor) => `cursor=${cursor}`),
  }),
]);
