import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from 'testing';
import type { Statement } from '../../src/database/statement.js';
import * as sql from '../../src/events/delivery-statements.js';
import { openDatabase } from '../support/open-database.js';

/** Half of what has PostgreSQL compile a plan (`jit_above_cost`), which takes 100 ms and more each time. */
const MOST = 50_000;

const statements = Object.entries<Statement>(sql);

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
  await client.query(`PREPARE checked_${name} AS ${text}`);
  const values = Array.from({ length: parameters }, () => 'NULL').join();
  const execute = `checked_${name}${parameters === 0 ? '' : `(${values})`}`;
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: { 'Total Cost': number } }] }>(
    `EXPLAIN (FORMAT JSON) EXECUTE ${execute}`,
  );
  expect(rows[0]!['QUERY PLAN'][0].Plan['Total Cost']).toBeLessThan(MOST);
});
