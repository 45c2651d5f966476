import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { createTestDatabase, TcpProxy, type TestDatabase } from 'testing';
import { migrate, type SchemaSettings } from '../../src/database/schema.js';
import { OtherMigrations, OUTSIDE } from '../support/other-migrations.js';
import { until } from '../support/until.js';

let testDatabase: TestDatabase;
let migrations: OtherMigrations;

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  migrations = new OtherMigrations();
});
afterEach(async () => {
  await testDatabase.drop();
  migrations.remove();
});

function settings(file: string, sql: string, url = testDatabase.url): SchemaSettings {
  return migrations.settings(url, { [file]: sql });
}

describe('A migration through PgBouncer', () => {
  it('has no time limit of its database in a transaction; outside it fails with a line that says what to do', async () => {
    const name = new URL(testDatabase.url).pathname.slice(1);
    const direct = new Client(`${process.env['TEST_SERVER_URL']!.replace(/\/[^/]*$/, '')}/${name}`);
    await direct.connect();
    await direct.query(`ALTER DATABASE ${name} SET statement_timeout = 300`);
    await direct.end();
    const { applied } = await migrate(settings('0101_slow.sql', 'SELECT pg_sleep(0.6);'));
    expect(applied).toContain('0101_slow.sql');
    await expect(migrate(settings('0102_slow.sql', `${OUTSIDE}SELECT pg_sleep(0.6);\n`))).rejects.toThrow(
      '0102_slow.sql took longer than the time limit of its role or database, which a transaction pooler does not lift. ' +
        'Run `node dist/cli/migrate.js` with a DATABASE_URL of the server itself.',
    );
  });

  it('that was broken off beside an open transaction is completed by one that begins at once', async () => {
    const sql = `${OUTSIDE}DROP INDEX CONCURRENTLY IF EXISTS later;\nCREATE INDEX CONCURRENTLY later ON bookings (json);\n`;
    const url = new URL(testDatabase.url);
    const proxy = await TcpProxy.start(Number(url.port));
    url.port = String(proxy.port);
    await migrate({ ...settings('0101_none.sql', 'SELECT;') });
    const open = new Client(testDatabase.url);
    await open.connect();
    await open.query(`BEGIN; INSERT INTO bookings (booking_id, json) VALUES (gen_random_uuid(), '{}')`);
    const migrating = migrate(settings('0102_later.sql', sql, url.href));
    const building = `SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'CREATE INDEX%later%'`;
    await until(async () => (await testDatabase.query(building)).length > 0);
    proxy.close();
    await expect(migrating).rejects.toThrow('Connection terminated');
    const next = migrate(settings('0102_later.sql', sql));
    await sleep(1_500);
    await open.query('COMMIT');
    await open.end();
    expect((await next).applied).toEqual(['0102_later.sql']);
    const indexes = await testDatabase.query(`SELECT indisvalid FROM pg_index WHERE indexrelid = 'later'::regclass`);
    expect(indexes).toEqual([{ indisvalid: true }]);
  });
});
