import { Client } from 'pg';
import { createTestDatabase, TcpProxy, until } from 'testing';
import { databaseSettings } from '../../src/cli/with-database.js';
import { Database } from '../../src/platform/database/database.js';
import { migrate } from '../../src/platform/database/migrations.js';
import { DatabaseUnavailable } from '../../src/platform/database/postgres-errors.js';

// The server waits ten seconds before it ends a migration that has vanished.
it('A migration whose connection hangs lets the service start; requests are 503 until it is done', async () => {
  const testDatabase = await createTestDatabase();
  const proxy = await TcpProxy.start(Number(new URL(testDatabase.url).port));
  const service = new Database(databaseSettings({ DATABASE_URL: proxy.through(testDatabase.url) }));
  const blocking = new Client({ connectionString: testDatabase.url });
  await blocking.connect();
  // The migration waits for the name of this table.
  await blocking.query('BEGIN; CREATE TABLE bookings ()');
  const preparing = service.prepare();
  const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
  await until(async () => (await testDatabase.query(waiting)).length > 0);
  proxy.hang();
  await blocking.query('ROLLBACK');
  await preparing;
  await expect(service.read({ text: 'SELECT 1' })).rejects.toThrow(DatabaseUnavailable);
  // The server ends the idle transaction, with its locks.
  expect(await migrate(databaseSettings({ DATABASE_URL: testDatabase.url }))).toEqual({
    applied: expect.arrayContaining(['0001_bookings.sql']) as unknown,
    warnings: [],
  });
  proxy.goOn();
  await until(async () => (await service.read({ text: 'SELECT 1' })).rowCount === 1);
  service.close();
  proxy.close();
  await blocking.end();
  await testDatabase.drop();
});
