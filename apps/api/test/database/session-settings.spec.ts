import { createTestDatabase, type TestDatabase } from 'testing';
import { Database } from '../../src/database/database.js';
import { readConfig } from '../../src/config/config.js';

let testDatabase: TestDatabase;
beforeAll(async () => void (testDatabase = await createTestDatabase()));
afterAll(() => testDatabase.drop());

it('Settings in `options` of the connection string hold beside those of the service, which win', async () => {
  const url = new URL(testDatabase.url);
  url.searchParams.set(
    'options',
    '-c work_mem=7MB --plan_cache_mode=auto -c statement_timeout=900 -c lock_timeout=9 -c idle_in_transaction_session_timeout=900 -c search_path=public,"b\\ c"',
  );
  const database = new Database(
    readConfig({ DATABASE_URL: url.href, DATABASE_STATEMENT_TIMEOUT_MS: '1700' }).database!,
  );
  await database.prepare();
  const names = [
    'idle_in_transaction_session_timeout',
    'lock_timeout',
    'plan_cache_mode',
    'search_path',
    'statement_timeout',
    'work_mem',
  ];
  const statement = { text: 'SELECT name, setting FROM pg_settings WHERE name = ANY ($1) ORDER BY name' };
  const { rows } = await database.run<{ name: string; setting: string }>(statement, [names]);
  await database.close();
  expect(rows.map(({ setting }) => setting)).toEqual([
    '3400',
    '0',
    'force_generic_plan',
    'public,"b c"',
    '1700',
    '7168',
  ]);
});
