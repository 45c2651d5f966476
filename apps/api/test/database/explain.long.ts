import { sortOrders } from '@booking-service/contracts';
import type { Client } from 'pg';
import type { PageQuery } from '../../src/bookings/domain/bookings.repository.js';
import { ALL_TIME, type ListFilter } from '../../src/bookings/domain/cursor.js';
import { CREATE, CREATE_GROUP } from '../../src/bookings/postgres/create-statements.js';
import { pageStatement } from '../../src/bookings/postgres/list-statements.js';
import { FAILED } from '../../src/features/events/delivery-operations.js';
import * as deliveryStatements from '../../src/features/events/delivery-statements.js';
import { withSessionSettings } from '../../src/platform/database/session.js';
import type { Statement } from '../../src/platform/database/statement.js';
import { DAY, HOUR } from '../bookings/arbitrary-bookings.js';
import { useDatabase } from '../support/open-database.js';

const ROWS = Number(process.env['TEST_LIST_ROWS'] ?? 12_000);
/** Bookings on one page of the table: the planner prefers to read the page to any index. */
const FIRST = 20;
/** Blocks of 8 KiB, of tables and indexes, that a page of a list reads at most, by its limit. */
const MAX_BUFFERS = { 20: 150, 100: 500 };

interface Plan {
  'Node Type': string;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  'WAL Records': number;
  Plans?: Plan[];
}

const postgres = useDatabase({ env: { DATABASE_POOL_SIZE: '2' } });
/** Has the settings of the service's sessions. */
let session: Client;
/** Plans for the values, as behind a transaction pooler, which keeps no prepared statement. */
let pooled: Client;

beforeAll(async () => {
  await postgres.query('ALTER TABLE bookings SET (autovacuum_enabled = off)');
  pooled = await postgres.connect();
  await pooled.query('SET plan_cache_mode = force_custom_plan');
});

/** Replaces the session, and its plans. */
async function renewSession(): Promise<void> {
  session = await postgres.connect(withSessionSettings({ url: postgres.url, connectTimeout: 0, statementTimeout: 0 }));
}

type Value = string | number | null | undefined | readonly (string | number)[];

async function explain(client: Client, name: string, values: readonly Value[], options = ''): Promise<Plan> {
  const textOf = (value: NonNullable<Value>): string =>
    typeof value === 'object' ? `{${value.map((item) => `"${item}"`).join()}}` : String(value);
  const literals = values.map((value) => (value == null ? 'NULL' : client.escapeLiteral(textOf(value))));
  const execute = `EXECUTE ${client.escapeIdentifier(name)}${values.length === 0 ? '' : `(${literals.join()})`}`;
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`EXPLAIN (FORMAT JSON${options}) ${execute}`);
  return rows[0]!['QUERY PLAN'][0].Plan;
}

const buffersOf = (plan: Plan): number => plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
const nodesOf = (node: Plan): string[] => [node['Node Type'], ...(node.Plans ?? []).flatMap(nodesOf)];

describe('Among undelivered events,', () => {
  const EVENTS = 30_000;
  /** Of tables and indexes. The events have more than 400. */
  const MAX_BLOCKS = 250;

  beforeAll(async () => {
    await renewSession();
    await session.query('ALTER TABLE webhook_deliveries SET (autovacuum_enabled = off)');
    await session.query(`INSERT INTO webhook_endpoints (name, prefix) VALUES ('doors', '')`);
    await session.query(
      `INSERT INTO webhook_deliveries (endpoint, booking_id, type, due, last_error)
        SELECT 'doors', gen_random_uuid(), 'created', CASE WHEN n % 300 > 0 THEN now() END, CASE WHEN n % 150 = 0 THEN '503' END
        FROM generate_series(1, ${EVENTS}) AS n`,
    );
    await session.query('VACUUM ANALYZE webhook_deliveries');
  });
  afterAll(() => session.query('TRUNCATE webhook_endpoints, webhook_deliveries'));

  it.each<[string, Statement, string[]]>([
    ['failed events are listed', FAILED, ['doors']],
    ['events of forgotten endpoints are found', deliveryStatements.DELETE_ORPHANS, ['250']],
    ['events are counted', deliveryStatements.STATES, []],
  ])('%s with few reads', async (_, { name, text }, values) => {
    await session.query({ name: name!, text, values });
    const plan = await explain(session, name!, values, ', ANALYZE, BUFFERS');
    expect(buffersOf(plan)).toBeLessThanOrEqual(MAX_BLOCKS);
  });

  it('the deletion of a booking reads no event of another', async () => {
    const id = '00000000-0000-7000-8000-000000000000';
    await session.query(`INSERT INTO bookings (booking_id, json) VALUES ('${id}', '{}')`);
    await session.query(`BEGIN; DELETE FROM bookings WHERE booking_id = '${id}'`);
    const { rows } = await session.query(`SELECT seq_tup_read::int AS read FROM pg_stat_xact_user_tables
      WHERE relname = 'webhook_deliveries'`);
    const { rows: left } = await session.query(`SELECT FROM webhook_deliveries WHERE booking_id = '${id}'`);
    await session.query('COMMIT');
    expect([rows, left.length]).toEqual([[{ read: 0 }], 1]);
  });
});

async function plansOf(filter: ListFilter, positions: PageQuery['after'][], limit = 20): Promise<Plan[]> {
  const plans: Plan[] = [];
  for (const client of [session, pooled]) {
    for (const after of positions) {
      for (const form of ['ofShares', 'ofAnySize'] as const) {
        const [statement, values] = pageStatement(form, filter, { after, limit: limit + 1 });
        await client.query(statement, values);
        plans.push(await explain(client, statement.name!, values, ', ANALYZE, BUFFERS'));
      }
    }
  }
  return plans;
}

const MINUTE = 60_000;
const DAYS = 24 * HOUR;
/** Lengths of consecutive slots on a resource. */
const LENGTHS = {
  'an hour': [HOUR],
  'a minute to ten years': [MINUTE, 10 * MINUTE, HOUR, 4 * HOUR, DAYS, 7 * DAYS, 30 * DAYS, 365 * DAYS, 3_653 * DAYS],
};

/** SQL for the place of the n-th booking in time. */
const PLACES = { 'with time': 'n', 'against time': `${ROWS} - 1 - n`, 'at random': `n * 7919::bigint % ${ROWS}` };

/**
 * Bookings, the order in which they are made, and the planner's statistics: none, early ones of the first bookings, old ones
 * of a half, or new ones. With none or early ones, lists are planned before the table grows.
 */
const FIXTURES = [
  { length: 'a minute to ten years', made: 'at random', resources: 2_000, statistics: 'early' },
  { length: 'an hour', made: 'with time', resources: 50, statistics: 'no' },
  { length: 'an hour', made: 'against time', resources: 2_000, statistics: 'old' },
  // Three resources make the planner expect one row where several bounds meet, and no order pays for one row.
  { length: 'an hour', made: 'at random', resources: 3, statistics: 'old' },
  { length: 'a minute to ten years', made: 'at random', resources: 2_000, statistics: 'no' },
  { length: 'an hour', made: 'at random', resources: 3, statistics: 'early' },
  { length: 'a minute to ten years', made: 'at random', resources: 2_000, statistics: 'old' },
  { length: 'a minute to ten years', made: 'at random', resources: 2_000, statistics: 'new' },
] as const;

/** Filters without a match, by the member of a filter: a search of the whole table would read too much. */
const MET_BY_NOTHING: Record<Exclude<keyof ListFilter, 'sort'>, ListFilter> = {
  resourceId: { resourceId: 'nothing' },
  window: { window: { from: ALL_TIME.to - HOUR, to: ALL_TIME.to } },
};
const FILTERS: [of: string, filter: ListFilter][] = [
  ['of all', {}],
  ['of a resource', { resourceId: 'r1' }],
  ...Object.entries(MET_BY_NOTHING).map(([name, filter]): [string, ListFilter] => [
    `with an unmatched ${name}`,
    filter,
  ]),
];

describe.each(FIXTURES)(
  `Of ${ROWS} slots of $length on $resources resources, made $made, with $statistics statistics,`,
  ({ length, made, resources, statistics }) => {
    const lengths = LENGTHS[length];
    /** Milliseconds between the starts of two slots of a resource. */
    const step = Math.max(...lengths);
    const middle = DAY + Math.floor(ROWS / resources / 2) * step;
    const end = DAY + (ROWS / resources) * step;
    const lists: Record<string, ListFilter> = {
      ...Object.fromEntries(sortOrders.map((sort) => [sort, { sort }])),
      'an hour': { window: { from: middle, to: middle + HOUR } },
      'a month': { window: { from: middle - 15 * DAYS, to: middle + 15 * DAYS } },
      'the first day': { window: { from: DAY, to: DAY + DAYS } },
      'the last day': { window: { from: end - DAYS, to: end } },
      'the later half, and what reaches into it': { window: { ...ALL_TIME, from: middle + MINUTE / 2 } },
      'the earlier half': { window: { ...ALL_TIME, to: middle } },
      'all time': { window: ALL_TIME },
    };
    const all = Object.entries(lists).flatMap(([order, list]) =>
      FILTERS.map(([of, filter]) => ({ order, of, filter: Object.assign({}, list, filter) })),
    );
    // A window that nothing matches replaces that of each list.
    const cases = [...new Map(all.map((each) => [JSON.stringify(each.filter), each])).values()];

    beforeAll(async () => {
      await renewSession();
      await pooled.query('TRUNCATE bookings');
      const isEarly = statistics === 'early';
      if (isEarly) {
        await insert(0, FIRST);
        await pooled.query('ANALYZE bookings');
      }
      if (isEarly || statistics === 'no') for (const { filter } of cases) await plansOf(filter, positionsIn(filter));
      await insert(isEarly ? FIRST : 0, ROWS / 2);
      if (statistics === 'old') await pooled.query('ANALYZE bookings');
      await insert(ROWS / 2, ROWS);
      if (statistics === 'new') await pooled.query('VACUUM ANALYZE bookings');
    }, 600_000);

    const insert = (first: number, beyond: number) =>
      pooled.query(
        `INSERT INTO bookings (booking_id, resource_id, slot_start, slot_end, json)
       SELECT (lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000')::uuid, 'r' || n % $4, start,
         start + ($6::bigint[])[1 + n % cardinality($6)], repeat('x', 300)
       FROM (SELECT n, $3::bigint + (${PLACES[made]}) / $4 * $5::bigint AS start
         FROM generate_series($1::int, $2::int - 1) AS n) AS made`,
        [first, beyond, DAY, resources, step, lengths],
      );

    /** Positions at the beginning, in the middle and near the end of a list. */
    function positionsIn({ window, sort }: ListFilter): PageQuery['after'][] {
      const idOf = (n: number): string => `${n.toString(16).padStart(8, '0')}-0000-7000-8000-000000000000`;
      const halfway = { start: window && middle, bookingId: idOf(ROWS / 2) };
      const lastId = idOf(sort === 'created_at' ? ROWS - 30 : 30);
      return [undefined, halfway, { start: window && Math.min(window.to, end) - MINUTE, bookingId: lastId }];
    }

    it.each(cases)('a list reads no more than its page: $order, $of', async ({ filter }) => {
      for (const [limit, most] of Object.entries(MAX_BUFFERS)) {
        for (const plan of await plansOf(filter, positionsIn(filter), Number(limit))) {
          expect(buffersOf(plan)).toBeLessThanOrEqual(most);
          expect(nodesOf(plan).filter((node) => /Seq Scan|Bitmap/.test(node))).toEqual([]);
        }
      }
    });
  },
);

it('A 409 and a replay read as little of 20,000 bookings as of 1,000, before the first autovacuum', async () => {
  const lockTimeout = 1_000;
  const ids = ['f0000000-0000-7000-8000-000000000001', 'f0000000-0000-7000-8000-000000000002'];
  const replayed = { resourceId: 'other', start: 1, end: 2, key: 'key 7', fingerprint: 'payload' };
  const rejected = { resourceId: 'r7', start: 75, end: 77, key: 'new', fingerprint: 'payload' };
  const both = [replayed, rejected];
  const creates: [Statement, Value[]][] = [
    ...both.map((create) => CREATE.with({ bookingId: ids[0]!, json: '{}', lockTimeout, ...create })),
    CREATE_GROUP.with({
      ids,
      resources: both.map(({ resourceId }) => resourceId),
      starts: both.map(({ start }) => start),
      ends: both.map(({ end }) => end),
      jsons: '{}\n{}',
      keys: both.map(({ key }) => key),
      fingerprints: both.map(({ fingerprint }) => fingerprint),
      locks: [1, 2],
      lockTimeout,
    }),
  ];
  const insert = (first: number, beyond: number) =>
    pooled.query(
      `INSERT INTO bookings (booking_id, resource_id, slot_start, slot_end, json, idempotency_key, fingerprint)
       SELECT gen_random_uuid(), 'r' || n % 50, n * 10, n * 10 + 10, repeat('x', 300), 'key ' || n, 'payload'
       FROM generate_series($1::int, $2::int - 1) AS n`,
      [first, beyond],
    );
  async function plansOfCreates(): Promise<Plan[]> {
    const plans: Plan[] = [];
    for (const client of [session, pooled]) {
      for (const [statement, values] of creates) {
        const { rows } = await client.query(statement, values);
        expect(rows).not.toContainEqual(expect.objectContaining({ is_kept: true }));
        plans.push(await explain(client, statement.name!, values, ', ANALYZE, BUFFERS, WAL'));
      }
    }
    return plans;
  }
  await renewSession();
  await pooled.query('TRUNCATE bookings');
  await insert(0, FIRST);
  await pooled.query('ANALYZE bookings');
  await plansOfCreates();
  await insert(FIRST, 1_000);
  const few = await plansOfCreates();
  await insert(1_000, 20_000);
  for (const [index, plan] of (await plansOfCreates()).entries()) {
    // Each of the indexes may be a level deeper.
    expect(buffersOf(plan)).toBeLessThanOrEqual(buffersOf(few[index]!) + 10);
    // Where no synchronous standby is named, a replay writes nothing.
    expect(plan['WAL Records']).toBe(0);
  }
});

it('A window shortly after 100,000 slots of a second reads little more than its page', async () => {
  await renewSession();
  await pooled.query('TRUNCATE bookings');
  await pooled.query('ALTER TABLE bookings DROP CONSTRAINT slots_never_overlap');
  await pooled.query(
    `INSERT INTO bookings (booking_id, resource_id, slot_start, slot_end, json)
     SELECT gen_random_uuid(), 'r', start, start + 1000, '{}'
     FROM (SELECT $1::bigint - 1000 - (random() * 3599000)::bigint AS start FROM generate_series(1, 100000)) AS made`,
    [DAY],
  );
  for (const plan of await plansOf({ window: { from: DAY, to: DAY + HOUR } }, [undefined])) {
    expect(buffersOf(plan)).toBeLessThanOrEqual(250);
  }
});
