import { sortOrders } from '@booking-service/contracts';
import { type ListPart, listParts, listStatement } from '../../src/bookings/postgres/list-statements.js';
import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import type { BookingsQuery } from '../../src/bookings/bookings.repository.js';
import { readConfig } from '../../src/config.js';
import { Database } from '../../src/postgres/database.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { DAY, HOUR } from '../bookings/arbitrary-bookings.js';

/** Also tried with 1,000,000; less is enough for the planner to tell an index from a scan of all. */
const ROWS = Number(process.env['TEST_PLAN_ROWS'] ?? 30_000);
const RESOURCES = 50;

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = new Database(readConfig({ DATABASE_URL: testDatabase.url }).database!);
  await database.prepare();
  await testDatabase.query(
    `INSERT INTO bookings (booking_id, resource_id, slot_start, slot_end, json)
     SELECT lpad(to_hex(n), 32, '0')::uuid,
       CASE WHEN n % 10 > 0 THEN 'r' || n % $2 END,
       CASE WHEN n % 10 > 0 THEN $3::bigint + n / $2 * $4::bigint END,
       CASE WHEN n % 10 > 0 THEN $3::bigint + (n / $2 + 1) * $4::bigint END,
       repeat('x', 200)
     FROM generate_series(1, $1::int) AS n`,
    [ROWS, RESOURCES, DAY, HOUR],
  );
  await testDatabase.query('ANALYZE bookings');
}, 300_000);

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

interface Plan {
  'Node Type': string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

async function planOf(part: ListPart, query: BookingsQuery): Promise<Plan[]> {
  const { text, values } = listStatement(part, query, query.limit);
  const [row] = await testDatabase.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, [
    ...values,
  ]);
  const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
  return nodesOf(row!['QUERY PLAN'][0].Plan);
}

const window = { from: DAY + 90 * HOUR, to: DAY + 92 * HOUR };
/** Each slot is an hour, and every resource has one in each hour. */
const SLOTS_IN_WINDOW = 2 * RESOURCES;
/** More than a window or a page needs, and far less than all bookings. */
const MOST_ROWS = 2_000;

const filters: [string, Partial<BookingsQuery>][] = [
  ['everything', {}],
  ['one resource', { resourceId: 'r1' }],
  ['one window', window],
  ['all that ends late', { from: DAY + (Math.floor(ROWS / RESOURCES) - 5) * HOUR }],
  ['one window of one resource', { resourceId: 'r1', ...window }],
];
const afters: [string, BookingsQuery['after']][] = [
  ['the first page', undefined],
  ['a later page', { at: DAY + 91 * HOUR, bookingId: '00000000-0000-0000-0000-000000000fff' }],
  ['a page past the slots', { at: null, bookingId: '00000000-0000-0000-0000-000000000fff' }],
];
const parts = sortOrders.flatMap((sort) =>
  filters.flatMap(([filter, given]) =>
    afters.flatMap(([page, after]) => {
      const query: BookingsQuery = { limit: 21, sort, ...given, after };
      return listParts(query).map((part) => ({ sort, filter, page, part, query }));
    }),
  ),
);

describe(`A list of ${ROWS} bookings`, () => {
  it.each(parts)(
    'by $sort of $filter, $page, reads $part through an index, and little of it',
    async ({ part, query }) => {
      const nodes = await planOf(part, query);
      expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
      expect(nodes.some((node) => node['Index Name'] !== undefined)).toBe(true);
      const rows = nodes.map((node) => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0));
      expect(Math.max(...rows)).toBeLessThanOrEqual(MOST_ROWS);
    },
  );

  it('of a window finds its bookings wherever they are in the order of the list', async () => {
    const bookings = new PostgresBookingsRepository(database);
    for (const sort of sortOrders) {
      const page = await bookings.list({ limit: 100, sort, ...window });
      expect(page.bookings.length).toBe(SLOTS_IN_WINDOW * 0.9);
    }
  });
});
