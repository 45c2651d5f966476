import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from 'testing';
import type { Statement } from '../../src/database/statement.js';
import * as sql from '../../src/events/event-statements.js';
import { openDatabase } from '../support/open-database.js';

/** Half of what has PostgreSQL compile a plan (`jit_above_cost`), which takes 100 ms and more each time. */
const MOST = 50_000;

const statements = Object.entries(sql).filter((entry): entry is [string, Statement] => typeof entry[1] === 'object');

let testDatabase: TestDatabase;
let client: Client;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  await (await openDatabase(testDatabase.url)).close();
  client = new Client({ connectionString: testDatabase.url });
  await client.connect();
  // The plan for any values.
  await client.query('SET plan_cache_mode = force_generic_plan');
});
afterAll(async () => {
  await client.end();
  await testDatabase.drop();
});

// As after a restore: autovacuum has not looked at the tables for the first time.
it.each(statements)('%s is planned to cost little on tables that were never analyzed', async (name, { text }) => {
  const parameters = new Set(text.match(/\$\d+/g)).size;
  await client.query(`PREPARE ${name.toLowerCase()} AS ${text}`);
  const values = Array.from({ length: parameters }, () => 'NULL').join();
  const execute = `${name.toLowerCase()}${parameters === 0 ? '' : `(${values})`}`;
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: { 'Total Cost': number } }] }>(
    `EXPLAIN (FORMAT JSON) EXECUTE ${execute}`,
  );
  expect(rows[0]!['QUERY PLAN'][0].Plan['Total Cost']).toBeLessThan(MOST);
});

describe('With thousands of parked and deferred events, and plans from a time when there were none', () => {
  const calls: [string, string][] = [
    ['FIND_WORK', '(false)'],
    ['READ', `('billing', 2000, 2000)`],
    ['READ_FILTERED', `('billing', 2000, 2000, 'room')`],
    ['READ_DEFERRED', `('billing', '{}', '{}')`],
  ];

  beforeAll(async () => {
    const texts = new Map(statements.map(([name, { text }]) => [name, text]));
    for (const [name, values] of calls) {
      await client.query(`PREPARE early_${name} AS ${texts.get(name)!}`);
      await client.query(`EXPLAIN EXECUTE early_${name}${values}`);
    }
    await client.query('ALTER TABLE webhook_parked SET (autovacuum_enabled = off)');
    await client.query(`
      WITH made AS (SELECT n, gen_random_uuid() AS id FROM generate_series(1, 4000) AS n),
      booked AS (
        INSERT INTO bookings (booking_id, resource_id, slot_start, slot_end, json) SELECT id, 'room ' || n % 500, n, n + 1, '{}' FROM made
      ), numbered AS (
        INSERT INTO booking_events SELECT n, id FROM made
      )
      INSERT INTO webhook_parked (endpoint, sequence, previous, lane, reason, is_due)
        SELECT 'billing', n, n - 1, 'room ' || n % 500, '422', n % 2 = 0 FROM made`);
    await client.query('UPDATE event_sequence SET last = 4000');
    // Of the second one nothing is due, so that all of its rows would be read.
    await client.query(`INSERT INTO webhook_endpoints (name, delivered) VALUES ('billing', 4000), ('doors', 4000)`);
  });

  interface Node {
    'Actual Rows': number;
    Plans?: Node[];
  }
  const mostRows = ({ 'Actual Rows': rows, Plans = [] }: Node): number => Math.max(rows, ...Plans.map(mostRows));

  it.each(calls)('%s reads no more than it needs', async (name, values) => {
    // It takes this index once there are statistics, within a minute.
    if (name === 'READ_DEFERRED') await client.query('ANALYZE webhook_parked');
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE early_${name}${values}`,
    );
    const scanned = name === 'READ_FILTERED' ? sql.MAX_SCANNED : sql.MAX_EVENTS;
    expect(mostRows(rows[0]!['QUERY PLAN'][0].Plan)).toBeLessThanOrEqual(scanned);
  });
});
