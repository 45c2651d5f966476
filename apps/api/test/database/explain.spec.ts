import { type SortOrder, sortOrders } from '@booking-service/contracts';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from 'testing';
import type { Booking } from '../../src/bookings/booking.js';
import { MAX_PAGE_BYTES, type PageQuery } from '../../src/bookings/bookings.repository.js';
import { type ListFilter, positionOf } from '../../src/bookings/cursor.js';
import { largePageStatement, listParts, pageStatement } from '../../src/bookings/postgres/list-statements.js';
import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import type { Database } from '../../src/database/database.js';
import { prepared, type Statement } from '../../src/database/statement.js';
import * as deliveryStatements from '../../src/events/delivery-statements.js';
import { aBooking, DAY, HOUR } from '../bookings/arbitrary-bookings.js';
import { openDatabase } from '../support/open-database.js';

/** `pnpm test:torture` has 300,000. */
const ROWS = Number(process.env['TEST_LIST_ROWS'] ?? 12_000);
/** Pages of 8 KiB that a page of a list reads at most, of tables and indexes together. */
const MOST_BUFFERS = 150;
/** Half of what has PostgreSQL compile a plan (`jit_above_cost`), which takes longer than a list. */
const MOST_COST = 50_000;
/** The plan of a session of the service, and that of a transaction pooler, which knows the values. */
const PLANS = ['force_generic_plan', 'force_custom_plan'];
const LIMIT = 20;

interface Plan {
  'Node Type': string;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  'Total Cost': number;
  Plans?: Plan[];
}

let testDatabase: TestDatabase;
let database: Database;
let client: Client;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await openDatabase(testDatabase.url, { DATABASE_POOL_SIZE: '2' });
  await testDatabase.query('ALTER TABLE bookings SET (autovacuum_enabled = off)');
  await connect();
});
afterAll(async () => {
  await client.end();
  await database.close();
  await testDatabase.drop();
});

async function connect(): Promise<void> {
  client = new Client({ connectionString: testDatabase.url });
  await client.connect();
}

/** The plan that PostgreSQL has for a statement that was prepared. */
async function explain(name: string, values: unknown[], options = ''): Promise<Plan> {
  const literals = values.map((value) => (isPresent(value) ? client.escapeLiteral(String(value)) : 'NULL'));
  const execute = `EXECUTE ${client.escapeIdentifier(name)}${values.length === 0 ? '' : `(${literals.join(', ')})`}`;
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`EXPLAIN (FORMAT JSON${options}) ${execute}`);
  return rows[0]!['QUERY PLAN'][0].Plan;
}

const isPresent = (value: unknown): boolean => value !== null && value !== undefined;
const nodesOf = (node: Plan): string[] => [node['Node Type'], ...(node.Plans ?? []).flatMap(nodesOf)];

// As after a restore: autovacuum has not looked at the tables for the first time.
it.each(Object.entries<Statement>(deliveryStatements))(
  'The statement of events %s is planned to cost little on tables that were never analyzed',
  async (name, { text }) => {
    await client.query('SET plan_cache_mode = force_generic_plan');
    await client.query(`PREPARE ${name} AS ${text}`);
    const parameters = Array.from(new Set(text.match(/\$\d+/g)), () => null);
    expect((await explain(name.toLowerCase(), parameters))['Total Cost']).toBeLessThan(MOST_COST);
  },
);

it('Lists are planned once for each connection', async () => {
  const bookings = new PostgresBookingsRepository(database);
  for (let index = 0; index < 20; index++) await bookings.list({ sort: '-created_at' }, { limit: 20 });
  const { rows } = await database.run({ text: 'SELECT generic_plans, custom_plans FROM pg_prepared_statements' });
  expect(rows).toEqual([{ generic_plans: '20', custom_plans: '0' }]);
  // Own members of a statement, which pg would copy for each query.
  expect(Object.getOwnPropertyNames(prepared('SELECT 1'))).toEqual([]);
});

/**
 * How many resources the bookings are of, the slot of the n-th of them, counted in slots from the first, and when the
 * statements were planned.
 */
const FIXTURES = [
  { made: 'with time', place: `n % ${ROWS}`, resources: 50, planned: 'while there were none' },
  { made: 'against time', place: `${ROWS} - 1 - n`, resources: 50, planned: 'later' },
  // With so many for each resource the planner expects one row where several bounds meet, and no order pays for one row.
  { made: 'at random', place: `n * 7919::bigint % ${ROWS}`, resources: Math.round(ROWS / 2_000), planned: 'later' },
];

describe.each(FIXTURES)(
  `Of ${ROWS} bookings of $resources resources made $made, planned $planned,`,
  ({ place, resources, planned }) => {
    const halfway = `${(ROWS / 2).toString(16).padStart(8, '0')}-0000-7000-8000-000000000000`;
    const middle = DAY + Math.floor(ROWS / resources / 2) * HOUR;
    const end = DAY + (ROWS / resources) * HOUR;
    const windows: Record<string, Pick<ListFilter, 'from' | 'to'>> = {
      'no window': {},
      'an hour': { from: middle, to: middle + HOUR },
      'a month': { from: middle - 15 * 24 * HOUR, to: middle + 15 * 24 * HOUR },
      'the first day': { from: DAY, to: DAY + 24 * HOUR },
      'the last day': { from: end - 24 * HOUR, to: end },
      'the later half, and what reaches into it': { from: middle + HOUR / 2 },
      'the earlier half': { to: middle },
      'all time': { from: DAY, to: end },
    };
    const cases = sortOrders.flatMap((sort) =>
      [undefined, 'r1'].flatMap((resourceId) =>
        Object.entries(windows).map(([name, window]) => ({
          name,
          filter: { sort, resourceId, ...window },
        })),
      ),
    );

    beforeAll(async () => {
      await client.end();
      await connect();
      await client.query('TRUNCATE bookings');
      if (planned === 'later') {
        // Statistics are old where they matter: taken when half of the bookings were there.
        await insert(0, ROWS / 2);
        await client.query('ANALYZE bookings');
        await insert(ROWS / 2, ROWS);
      } else {
        for (const { filter } of cases) {
          for (const after of [undefined, positionOf(aBooking({ resource: 'r1' }), filter.sort)]) {
            await plansOf(filter, after);
          }
        }
        await insert(0, ROWS);
      }
    }, 600_000);

    const insert = (first: number, beyond: number) =>
      client.query(
        `INSERT INTO bookings (booking_id, resource_id, slot_start, slot_end, json)
       SELECT id, 'r' || n % $4, start, start + $5::bigint, format('{"booking_id":"%s","slot":%s,"note":"%s"}', id,
         json_build_object('resource_id', 'r' || n % $4, 'start', ${iso('start')}, 'end', ${iso('start + $5')}), repeat('x', 60))
       FROM (SELECT n, $3::bigint + (${place}) / $4 * $5::bigint AS start,
           (lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000')::uuid AS id
         FROM generate_series($1::int, $2::int - 1) AS n) AS made`,
        [first, beyond, DAY, resources, HOUR],
      );

    async function plansOf(filter: ListFilter, after: PageQuery['after']): Promise<Plan[]> {
      const plans: Plan[] = [];
      for (const planning of PLANS) {
        await client.query(`SET plan_cache_mode = ${planning}`);
        const statements = listParts(filter, after).flatMap((part) =>
          [pageStatement, largePageStatement].map((form) =>
            form(part, { filter, after, limit: LIMIT + 1, room: MAX_PAGE_BYTES }),
          ),
        );
        for (const { statement, values } of statements) {
          await client.query(statement, values);
          plans.push(await explain(statement.name!, values, ', ANALYZE, BUFFERS'));
        }
      }
      return plans;
    }

    it.each(cases)('a list by $filter.sort of $name on $filter.resourceId reads its page alone', async ({ filter }) => {
      const bookings = new PostgresBookingsRepository(database);
      for (const booking of [undefined, await bookings.find(halfway), await lastPage(bookings, filter)]) {
        for (const plan of await plansOf(filter, booking && positionOf(booking, filter.sort))) {
          expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThanOrEqual(MOST_BUFFERS);
          expect(nodesOf(plan)).not.toContain('Seq Scan');
          expect(nodesOf(plan)).not.toContain('Bitmap Heap Scan');
        }
      }
    });
  },
);

function iso(millis: string): string {
  return `to_char(to_timestamp((${millis}) / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** The booking after which the last full page of a list begins: the last of the first page of the opposite order. */
async function lastPage(bookings: PostgresBookingsRepository, filter: ListFilter): Promise<Booking | undefined> {
  const opposite = filter.sort.startsWith('-') ? filter.sort.slice(1) : `-${filter.sort}`;
  const page = await bookings.list({ ...filter, sort: opposite as SortOrder }, { limit: LIMIT + 1 });
  return page.bookings.at(-1);
}
