import { type SortOrder, sortOrders } from '@booking-service/contracts';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from 'testing';
import { Database } from '../../src/database/database.js';
import type { Booking } from '../../src/bookings/booking.js';
import { type BookingsQuery, MAX_PAGE_BYTES } from '../../src/bookings/bookings.repository.js';
import { positionOf } from '../../src/bookings/cursor.js';
import { largePageStatement, listParts, pageStatement } from '../../src/bookings/postgres/list-statements.js';
import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import { DAY, HOUR } from '../bookings/arbitrary-bookings.js';
import { openDatabase } from '../support/open-database.js';

/** Pages of 8 KiB that a page of a list reads at most, of tables and indexes together. */
const MOST_BUFFERS = 100;
/** The same in the middle of a walk: what comes next is looked at first, and then the index. */
const MOST_BUFFERS_HALFWAY = 150;
/** The plan of a session of the service, and the one behind a transaction pooler, which knows the values. */
const PLANS = ['force_generic_plan', 'force_custom_plan'];
const LIMIT = 20;

/** The slot that the n-th booking has, counted in slots from the first, for the orders in which bookings are made. */
const ORDERS: Record<string, (rows: number) => string> = {
  'with time': (rows) => `n % ${rows}`,
  'against time': (rows) => `${rows} - 1 - n`,
  'at random': (rows) => `n * 7919::bigint % ${rows}`,
};

const iso = (millis: string): string =>
  `to_char(to_timestamp((${millis}) / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

export interface Plan {
  'Node Type': string;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: Plan[];
}

/** Runs a prepared statement, with the plan that PostgreSQL has for it. */
export async function explainExecute(client: Client, name: string, values: unknown[]): Promise<Plan> {
  const literals = values.map((value) => (isPresent(value) ? client.escapeLiteral(String(value)) : 'NULL'));
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE ${client.escapeIdentifier(name)}(${literals.join(', ')})`,
  );
  return rows[0]!['QUERY PLAN'][0].Plan;
}

const isPresent = (value: unknown): boolean => value !== null && value !== undefined;

/** Pages of 8 KiB, of tables and indexes together. */
export const buffersOf = (plan: Plan): number => plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];

/** Looks at what the first page of each list, one in its midst, and its last read. */
export function describeListBuffers(rows: number, resources: number, orders = Object.keys(ORDERS)): void {
  const span = (rows / resources) * HOUR;
  const middle = DAY + Math.floor(rows / resources / 2) * HOUR;
  const windows: Record<string, Pick<BookingsQuery, 'from' | 'to'>> = {
    'no window': {},
    'an hour': { from: middle, to: middle + HOUR },
    'a month': { from: middle - 15 * 24 * HOUR, to: middle + 15 * 24 * HOUR },
    'the first day': { from: DAY, to: DAY + 24 * HOUR },
    'the last day': { from: DAY + span - 24 * HOUR, to: DAY + span },
    'the later half, and what reaches into it': { from: middle + HOUR / 2 },
    'the earlier half': { to: middle },
    'all time': { from: DAY, to: DAY + span },
  };

  describe.each(orders)(`A list of ${rows} bookings of ${resources} resources made %s`, (order) => {
    const slotNumber = ORDERS[order]!(rows);
    let testDatabase: TestDatabase;
    let database: Database;
    let client: Client;

    beforeAll(async () => {
      testDatabase = await createTestDatabase();
      database = await openDatabase(testDatabase.url);
      client = new Client({ connectionString: testDatabase.url });
      await client.connect();
      // Statistics are old where they matter: taken when half of the bookings were there.
      const half = Math.floor(rows / 2);
      await insert(0, half);
      await client.query('ANALYZE bookings');
      await insert(half, rows);
    }, 600_000);

    afterAll(async () => {
      await client.end();
      await database.close();
      await testDatabase.drop();
    });

    const insert = async (first: number, end: number): Promise<void> => {
      await client.query(
        `INSERT INTO bookings (booking_id, resource_id, slot_start, slot_end, json)
         SELECT id, 'r' || n % $4, start, start + $5::bigint, format('{"booking_id":"%s","slot":%s,"note":"%s"}', id,
           json_build_object('resource_id', 'r' || n % $4, 'start', ${iso('start')}, 'end', ${iso('start + $5')}), repeat('x', 60))
         FROM (SELECT n, $3::bigint + (${slotNumber}) / $4 * $5::bigint AS start,
             (overlay(overlay(lpad(to_hex($3::bigint + n * 40), 12, '0') PLACING '-' FROM 9 FOR 0)
               PLACING '-7000-8000-' FROM 14 FOR 0) || lpad(to_hex(n), 12, '0'))::uuid AS id
           FROM generate_series($1::int, $2::int - 1) AS n) AS made`,
        [first, end, DAY, resources, HOUR],
      );
    };

    const planOf = async (form: typeof pageStatement, query: BookingsQuery, planning: string): Promise<Plan> => {
      const { statement, values } = form(listParts(query)[0]!, query, LIMIT + 1, MAX_PAGE_BYTES);
      await client.query(`SET plan_cache_mode = ${planning}`);
      await client.query(statement, values);
      return explainExecute(client, statement.name!, values);
    };
    const nodesOf = (node: Plan): string[] => [node['Node Type'], ...(node.Plans ?? []).flatMap(nodesOf)];

    const cases = sortOrders.flatMap((sort) =>
      [undefined, 'r1'].flatMap((resourceId) =>
        Object.entries(windows).map(([name, window]) => ({ sort, resourceId, name, window })),
      ),
    );
    it.each(cases)('by $sort of $name on $resourceId reads its page alone', async ({ sort, resourceId, window }) => {
      const query: BookingsQuery = { limit: LIMIT, sort, resourceId, ...window };
      const bookings = new PostgresBookingsRepository(database);
      const last = await lastPage(bookings, query);
      const halfway = await madeHalfway(bookings, rows);
      for (const booking of [undefined, halfway, last]) {
        const page = booking === undefined ? query : { ...query, after: positionOf(booking, sort) };
        for (const form of [pageStatement, largePageStatement]) {
          for (const planning of PLANS) {
            const plan = await planOf(form, page, planning);
            expect(nodesOf(plan)).not.toContain('Seq Scan');
            expect(nodesOf(plan)).not.toContain('Bitmap Heap Scan');
            expect(buffersOf(plan)).toBeLessThanOrEqual(booking === halfway ? MOST_BUFFERS_HALFWAY : MOST_BUFFERS);
          }
        }
      }
    });
  });
}

/** The booking of the fixture that was made when half of them were there. */
function madeHalfway(bookings: PostgresBookingsRepository, rows: number): Promise<Booking | undefined> {
  const n = Math.floor(rows / 2);
  const made = (DAY + n * 40).toString(16).padStart(12, '0');
  return bookings.find(`${made.slice(0, 8)}-${made.slice(8)}-7000-8000-${n.toString(16).padStart(12, '0')}`);
}

/** The booking after which the last full page of a list begins: the last of the first page of the opposite order. */
async function lastPage(bookings: PostgresBookingsRepository, query: BookingsQuery): Promise<Booking | undefined> {
  const opposite = query.sort.startsWith('-') ? query.sort.slice(1) : `-${query.sort}`;
  const page = await bookings.list({ ...query, limit: LIMIT + 1, sort: opposite as SortOrder });
  return page.bookings.at(-1);
}
