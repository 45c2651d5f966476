import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { createTestDatabase, LocalPostgres, type TestDatabase } from 'testing';
import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import { readConfig } from '../../src/config/config.js';
import { Database } from '../../src/database/database.js';
import { DatabaseUnavailable } from '../../src/database/postgres-errors.js';
import { aBooking } from '../bookings/arbitrary-bookings.js';
import { openDatabase } from '../support/open-database.js';
import { startPooler } from '../support/pooler.js';
import { until } from '../support/until.js';

const connect = (url: string): Database => new Database(readConfig({ DATABASE_URL: url }).database!);

it('An address that leads to a standby serves neither reads nor writes, until the standby is promoted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bookings-standby-'));
  const primary = await LocalPostgres.start(folder);
  await primary.createDatabase('bookings');
  await (await openDatabase(primary.url('bookings'))).close();
  await primary.stop();
  writeFileSync(join(folder, 'standby.signal'), '');
  const standby = await LocalPostgres.start(folder);
  const database = connect(standby.url('bookings'));
  await database.prepare();
  for (const running of [database.run({ text: 'SELECT 1' }), database.write({ text: 'SELECT 1' })]) {
    await expect(running).rejects.toMatchObject({ cause: { message: 'The server is a standby.' } });
  }
  const client = new Client({ connectionString: standby.url('bookings') });
  await client.connect();
  await client.query('SELECT pg_promote()');
  await client.end();
  const isServed = (): Promise<boolean> =>
    database.write({ text: 'SELECT 1' }).then(
      () => true,
      () => false,
    );
  await until(isServed);
  await database.close();
  await standby.stop();
  rmSync(folder, { recursive: true });
});

describe('Settings in `options` of the connection string', () => {
  let testDatabase: TestDatabase;
  beforeAll(async () => void (testDatabase = await createTestDatabase()));
  afterAll(() => testDatabase.drop());

  const withOptions = (url: string): string => {
    const changed = new URL(url);
    changed.searchParams.set(
      'options',
      '-c work_mem=7MB --plan_cache_mode=auto -c statement_timeout=900 -c lock_timeout=9',
    );
    return changed.href;
  };

  it('hold beside those of the service, which win', async () => {
    const database = connect(withOptions(testDatabase.url));
    await database.prepare();
    const names = ['lock_timeout', 'plan_cache_mode', 'statement_timeout', 'work_mem'];
    const statement = { text: 'SELECT setting FROM pg_settings WHERE name = ANY ($1) ORDER BY name' };
    const { rows } = await database.run<{ setting: string }>(statement, [names]);
    await database.close();
    expect(rows.map(({ setting }) => setting)).toEqual(['0', 'force_generic_plan', '2500', '7168']);
  });

  it.each(['08P01', '0A000'])('stop a start behind a pooler that rejects them with %s', async (code) => {
    const pooler = await startPooler(testDatabase.url, code);
    const database = connect(withOptions(pooler.url));
    await expect(database.prepare()).rejects.toThrow('a transaction pooler does not keep the settings in `options`');
    await database.close();
    pooler.close();
  });
});

it.each(['08P01', '0A000'])(
  'Behind a pooler that rejects settings with %s, nothing stays in a session',
  async (code) => {
    const testDatabase = await createTestDatabase();
    const pooler = await startPooler(testDatabase.url, code);
    const database = connect(pooler.url);
    await database.prepare();
    const bookings = new PostgresBookingsRepository(database);
    const booked = Array.from({ length: 20 }, () => aBooking());
    await Promise.all(booked.map((booking) => bookings.create(booking)));
    const found = await Promise.all(booked.map(({ bookingId }) => bookings.find(bookingId)));
    expect(found.map((booking) => booking?.json)).toEqual(booked.map(({ json }) => json));
    expect((await bookings.list({ limit: 5, sort: 'start' })).bookings).toHaveLength(5);
    for (const send of [database.run.bind(database), database.write.bind(database)]) {
      const { rows } = await send({
        name: 'named',
        text: 'SELECT (SELECT count(*) FROM pg_prepared_statements)::int AS kept',
      });
      expect(rows).toEqual([{ kept: 0 }]);
    }
    await expect(database.run({ text: 'SELECT pg_sleep(10)' })).rejects.toThrow(DatabaseUnavailable);
    await database.close();
    pooler.close();
    await testDatabase.drop();
  },
);
