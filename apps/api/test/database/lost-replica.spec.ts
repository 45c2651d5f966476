import { createTestDatabase, TcpProxy, type TestDatabase } from 'testing';
import { Database } from '../../src/database/database.js';
import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import { readConfig } from '../../src/config/config.js';
import { aBooking } from '../bookings/arbitrary-bookings.js';
import { seemPooled } from '../support/pooled.js';
import { until } from '../support/until.js';

/** Milliseconds of a statement. */
const STATEMENT_TIMEOUT = 500;

let testDatabase: TestDatabase;
let proxy: TcpProxy;
let lost: Database;
let other: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  proxy = await TcpProxy.start(Number(new URL(testDatabase.url).port));
  const proxied = new URL(testDatabase.url);
  proxied.port = String(proxy.port);
  lost = await connectAsPooled(proxied.href);
  other = await connectAsPooled(testDatabase.url);
});
afterAll(async () => {
  await other.close();
  proxy.close();
  await lost.close();
  await testDatabase.drop();
});

async function connectAsPooled(url: string): Promise<Database> {
  const env = { DATABASE_URL: url, DATABASE_STATEMENT_TIMEOUT_MS: String(STATEMENT_TIMEOUT) };
  const database = new Database(readConfig(env).database!);
  await database.prepare();
  await seemPooled(database);
  return database;
}

it('A replica that is gone between its insert and its commit blocks its slot and its key no longer than two statements may take', async () => {
  const wished = aBooking({ resource: 'room', start: 1, end: 2 });
  const create = (database: Database): Promise<boolean> =>
    new PostgresBookingsRepository(database).create(wished, { key: 'key', fingerprint: 'payload' }).then(
      () => true,
      () => false,
    );
  const isLost = proxy.loseClientsAt('COMMIT');
  const unanswered = create(lost);
  await isLost;
  expect(await until(() => create(other))).toBeLessThan(5 * STATEMENT_TIMEOUT);
  expect(await unanswered).toBe(false);
});
