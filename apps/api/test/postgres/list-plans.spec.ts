import { sortOrders } from '@booking-service/contracts';
import { type ListPart, listStatement } from '../../src/bookings/postgres/list-statement.js';
import type { BookingsQuery } from '../../src/bookings/bookings.repository.js';
import { readConfig } from '../../src/config.js';
import { Database } from '../../src/postgres/database.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { DAY, HOUR } from '../bookings/arbitrary-bookings.js';

/** Also tried with 1,000,000; less is enough for the planner to tell an index from a scan of all. */
const ROWS = Number(process.env['TEST_PLAN_ROWS'] ?? 30_000);
const RESOURCES = 50;

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const database = new Database(readConfig({ DATABASE_URL: testDatabase.url }).database!);
  await database.prepare();
  await database.close();
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

afterAll(() => testDatabase.drop());

interface Plan {
  'Node Type': string;
  'Index Name'?: string;
  Plans?: Plan[];
}

async function planOf(part: ListPart, query: BookingsQuery): Promise<Plan[]> {
  const { text, values = [] } = listStatement(part, query);
  const [row] = await testDatabase.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`EXPLAIN (FORMAT JSON) ${text}`, [
    ...values,
  ]);
  const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
  return nodesOf(row!['QUERY PLAN'][0].Plan);
}

const filters: [string, Partial<BookingsQuery>][] = [
  ['everything', {}],
  ['one resource', { resourceId: 'r1' }],
  ['one window', { from: DAY + 90 * HOUR, to: DAY + 92 * HOUR }],
  ['one window of one resource', { resourceId: 'r1', from: DAY + 90 * HOUR, to: DAY + 92 * HOUR }],
  ['all from an instant on', { from: DAY + 90 * HOUR }],
];
const afters: [string, BookingsQuery['after']][] = [
  ['the first page', undefined],
  ['a later page', { at: DAY + 91 * HOUR, bookingId: '00000000-0000-0000-0000-000000000fff' }],
];
const lists = sortOrders.flatMap((sort) =>
  filters.flatMap(([filter, query]) =>
    afters.map(([page, after]) => ({ sort, filter, page, query: { ...query, after } })),
  ),
);

describe(`A list of ${ROWS} bookings`, () => {
  it.each(lists)('by $sort of $filter, $page, is read through an index', async ({ sort, query }) => {
    const isByStart = sort === 'start' || sort === '-start';
    const nodes = await planOf(isByStart ? 'with-slot' : 'all', { limit: 21, sort, ...query });
    expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
    expect(nodes.some((node) => node['Index Name'] !== undefined)).toBe(true);
  });

  it.each(['start', '-start'] as const)(
    'by %s reads its bookings without a slot through their own index',
    async (sort) => {
      const nodes = await planOf('without-slot', { limit: 21, sort });
      expect(nodes.map((node) => node['Index Name'])).toContain('bookings_without_slot');
    },
  );
});
