import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Client } from 'pg';
import { createTestDatabase, TcpProxy, type TestDatabase } from 'testing';
import { migrate, prepareSchema, type SchemaSettings } from '../../src/database/schema.js';
import { api } from '../support/api.js';
import { create } from '../support/bookings.js';
import { OtherMigrations, MIGRATIONS, OUTSIDE } from '../support/other-migrations.js';
import { startApp } from '../support/start-app.js';
import { until } from '../support/until.js';

let testDatabase: TestDatabase;
let migrations: OtherMigrations;

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  migrations = new OtherMigrations();
  await migrate(settings());
});
afterEach(async () => {
  await testDatabase.drop();
  migrations.remove();
});

/** Of a newer version, which has more migrations. */
function settings(later: Record<string, string> = {}, url = testDatabase.url): SchemaSettings {
  return migrations.settings(url, later);
}

describe('A migration', () => {
  it('has no time limit of its role or database, in a transaction or outside', async () => {
    const name = new URL(testDatabase.url).pathname.slice(1);
    const limits = await testDatabase.query<{ name: string }>(
      `SELECT name FROM pg_settings WHERE name ~ '^(statement|lock|transaction|idle_in_transaction_session)_timeout$'`,
    );
    for (const limit of limits) await testDatabase.query(`ALTER DATABASE ${name} SET ${limit.name} = 200`);
    await testDatabase.query(`ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
    const later = {
      '0101_table.sql': 'CREATE TABLE slow (a int); SELECT pg_sleep(0.4);',
      '0102_index.sql': `${OUTSIDE}SELECT pg_sleep(0.4);\nCREATE INDEX CONCURRENTLY slow_a ON slow (a);\n`,
    };
    expect((await migrate(settings(later))).applied).toEqual(Object.keys(later));
  });

  it('is repeated where an interrupted one that is still ending fails it', async () => {
    const fails = `DO $$ BEGIN IF nextval('attempts') = 1 THEN RAISE 'as in tuple concurrently updated' USING ERRCODE = 'XX000'; END IF; END $$`;
    const later = { '0101_attempts.sql': `${OUTSIDE}CREATE SEQUENCE IF NOT EXISTS attempts;\n${fails};\n` };
    expect((await migrate(settings(later))).applied).toEqual(Object.keys(later));
  });

  describe('that was broken off beside an open transaction', () => {
    const later = {
      '0101_index.sql': `${OUTSIDE}DROP INDEX CONCURRENTLY IF EXISTS later;\nCREATE INDEX CONCURRENTLY later ON bookings (json);\n`,
    };
    const BUILDING = `SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'CREATE INDEX%later%'`;
    const isBuilding = async (): Promise<boolean> => (await testDatabase.query(BUILDING)).length > 0;
    let open: Client;

    beforeEach(async () => {
      open = new Client({ connectionString: testDatabase.url });
      await open.connect();
      await open.query(`BEGIN; INSERT INTO bookings (booking_id, json) VALUES (gen_random_uuid(), '{}')`);
      const url = new URL(testDatabase.url);
      const proxy = await TcpProxy.start(Number(url.port));
      url.port = String(proxy.port);
      const migrating = migrate(settings(later, url.href));
      await until(isBuilding);
      proxy.close();
      await expect(migrating).rejects.toThrow('Connection terminated');
    });
    afterEach(() => open.end());

    it('is not continued by the server', async () => {
      expect(await until(async () => !(await isBuilding()))).toBeLessThan(5_000);
    });

    it('is completed by one that begins at once', async () => {
      const next = migrate(settings(later));
      await sleep(1_300);
      await open.query('COMMIT');
      expect((await next).applied).toEqual(Object.keys(later));
      const indexes = await testDatabase.query(`SELECT indisvalid FROM pg_index WHERE indexrelid = 'later'::regclass`);
      expect(indexes).toEqual([{ indisvalid: true }]);
    });
  });
});

describe('A schema that is newer than the service', () => {
  const own = () => ({ ...settings(), migrations: pathToFileURL(MIGRATIONS) });
  const last = readdirSync(MIGRATIONS).toSorted().at(-1)!.slice(0, 4);
  const change = 'ALTER TABLE bookings ADD COLUMN later text;';

  it('lets it run, with a warning, if its migrations say so; to migrate leaves it alone', async () => {
    const later = { '0101_later.sql': `-- Why.\n-- oldest: ${last}\n${change}`, '0102_more.sql': '-- oldest: 0001\n' };
    await migrate(settings(later));
    expect(await migrate(own())).toEqual({ applied: [], newer: Object.keys(later), isTooNew: false });
    for (const mayMigrate of ['true', 'false']) {
      const service = await startApp({ DATABASE_URL: testDatabase.url, DATABASE_MIGRATE_AT_START: mayMigrate });
      await create(api(service.url));
      await service.close();
      const warnings = service.logged.filter((line) => line.includes('0101_later.sql, 0102_more.sql'));
      expect(warnings).toEqual([expect.stringContaining('The schema is newer than this version')]);
      expect(JSON.parse(warnings[0]!)).toMatchObject({ level: 'warn' });
    }
  });

  it.each([
    ['needs a later version', '-- oldest: 0101\n'],
    ['names no version', ''],
  ])('rejects it, and is left alone, if a migration %s', async (_, header) => {
    await migrate(settings({ '0101_later.sql': `${header}${change}`, '0102_more.sql': `-- oldest: ${last}\n` }));
    await expect(prepareSchema(own(), true)).rejects.toThrow(
      '0101_later.sql, 0102_more.sql, which this version cannot run on.',
    );
    expect(await migrate(own())).toMatchObject({ applied: [], isTooNew: true });
  });

  it('rejects it if one of its own migrations is missing', async () => {
    await migrate(settings({ '0101_later.sql': `-- oldest: ${last}\n` }));
    await testDatabase.query('DELETE FROM schema_migrations WHERE version = 2');
    await expect(prepareSchema(own(), true)).rejects.toThrow('0101_later.sql, which this version cannot run on.');
  });

  it('is recorded in a table that an older version made', async () => {
    await testDatabase.query('ALTER TABLE schema_migrations DROP COLUMN oldest');
    expect(await prepareSchema(own(), false)).toEqual([]);
    await migrate(settings({ '0101_later.sql': `-- oldest: ${last}\n` }));
    expect(await prepareSchema(own(), false)).toEqual(['0101_later.sql']);
  });
});
