import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../src/config.js';
import { Database } from '../../src/postgres/database.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { TcpProxy } from '../torture/tcp-proxy.js';

/** Milliseconds in which the service is ready once its database is well. */
const RECOVERY = 5_000;

let testDatabase: TestDatabase;
let proxy: TcpProxy;
let database: Database;

const startProxy = (port?: number): Promise<TcpProxy> => TcpProxy.start(Number(new URL(testDatabase.url).port), port);

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  proxy = await startProxy();
  const url = new URL(testDatabase.url);
  url.port = String(proxy.port);
  database = new Database(readConfig({ DATABASE_URL: url.href }).database!);
});
afterEach(async () => {
  await database.close();
  proxy.close();
  await testDatabase.drop();
});

/** Milliseconds until a statement is run. */
async function untilReady(): Promise<number> {
  const start = performance.now();
  while (performance.now() - start < 3 * RECOVERY) {
    try {
      await database.run({ text: 'SELECT 1' });
      return performance.now() - start;
    } catch {
      await sleep(50);
    }
  }
  return Number.POSITIVE_INFINITY;
}

describe('A service whose database', () => {
  it('hangs, is absent, hangs again and is well, is ready soon after', async () => {
    const { port } = proxy;
    proxy.hang();
    await database.prepare();
    proxy.close();
    await sleep(1_500);
    proxy = await startProxy(port);
    proxy.hang();
    await sleep(4_000);
    proxy.goOn();
    expect(await untilReady()).toBeLessThan(RECOVERY);
  });

  it.each([1, 2, 3, 5, 8, 13])('hangs from response %s of the start on, is ready soon after', async (responses) => {
    proxy.hangAfter(responses);
    await database.prepare();
    await sleep(1_000);
    proxy.goOn();
    expect(await untilReady()).toBeLessThan(RECOVERY);
  });

  it('hangs in a migration, leaves no lock behind', async () => {
    // The name of a table that is being made is waited for.
    const blocking = testDatabase.query('BEGIN; CREATE TABLE bookings (); SELECT pg_sleep(6); ROLLBACK');
    await sleep(500);
    const { port } = proxy;
    const preparing = database.prepare();
    await sleep(1_000);
    proxy.hang();
    await preparing;
    proxy.close();
    proxy = await startProxy(port);
    await blocking;
    expect(await untilReady()).toBeLessThan(RECOVERY);
  });

  it('takes longer over a migration than over a statement, is waited for', async () => {
    const blocked = testDatabase.query('BEGIN; CREATE TABLE bookings (); SELECT pg_sleep(5); ROLLBACK');
    await sleep(500);
    const start = performance.now();
    await database.prepare();
    expect(performance.now() - start).toBeGreaterThan(3_000);
    await blocked;
    await expect(database.run({ text: 'SELECT 1' })).resolves.toBeDefined();
  });
});
