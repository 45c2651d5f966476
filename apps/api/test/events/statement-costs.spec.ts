import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from 'testing';
import { readConfig } from '../../src/config/config.js';
import { Database } from '../../src/database/database.js';
import type { Statement } from '../../src/database/statement.js';
import * as sql from '../../src/events/event-statements.js';

/** A quarter of what has PostgreSQL compile a plan (`jit_above_cost`), which takes 100 ms and more each time. */
const MOST = 25_000;

const statements = Object.entries(sql).filter((entry): entry is [string, Statement] => typeof entry[1] === 'object');

let testDatabase: TestDatabase;
let client: Client;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const database = new Database(readConfig({ DATABASE_URL: testDatabase.url }).database!);
  await database.prepare();
  await database.close();
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
