import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, TcpProxy, type TestDatabase } from 'testing';
import { Database } from '../../src/database/database.js';
import { readConfig } from '../../src/config/config.js';

/** Milliseconds in which the service is ready once its database is well. */
const RECOVERY = 5_000;

/** A service's side of a database that its network may hang before. */
class Site {
  private constructor(
    readonly testDatabase: TestDatabase,
    public proxy: TcpProxy,
    readonly database: Database,
    private readonly port = proxy.port,
  ) {}

  static async open(): Promise<Site> {
    const testDatabase = await createTestDatabase();
    const proxy = await TcpProxy.start(Number(new URL(testDatabase.url).port));
    const url = new URL(testDatabase.url);
    url.port = String(proxy.port);
    return new Site(testDatabase, proxy, new Database(readConfig({ DATABASE_URL: url.href }).database!));
  }

  async restartProxy(): Promise<void> {
    this.proxy = await TcpProxy.start(Number(new URL(this.testDatabase.url).port), this.port);
  }

  /** Milliseconds until a statement is run. */
  async untilReady(): Promise<number> {
    const start = performance.now();
    while (performance.now() - start < 3 * RECOVERY) {
      try {
        await this.database.run({ text: 'SELECT 1' });
        return performance.now() - start;
      } catch {
        await sleep(50);
      }
    }
    return Number.POSITIVE_INFINITY;
  }

  async close(): Promise<void> {
    await this.database.close();
    this.proxy.close();
    await this.testDatabase.drop();
  }
}

let site: Site;
beforeEach(async () => void (site = await Site.open()));
afterEach(() => site.close());

describe('A service whose database', () => {
  it('hangs, is absent, hangs again and is well, is ready soon after', async () => {
    site.proxy.hang();
    await site.database.prepare();
    site.proxy.close();
    await sleep(1_500);
    await site.restartProxy();
    site.proxy.hang();
    await sleep(4_000);
    site.proxy.goOn();
    expect(await site.untilReady()).toBeLessThan(RECOVERY);
  });

  it('hangs at any response of the start, is ready soon after', async () => {
    const afterResponses = [1, 2, 3, 5, 8, 13];
    const times = afterResponses.map(async (responses) => {
      const each = await Site.open();
      each.proxy.hangAfter(responses);
      await each.database.prepare();
      await sleep(1_000);
      each.proxy.goOn();
      const time = await each.untilReady();
      await each.close();
      return time;
    });
    for (const time of await Promise.all(times)) expect(time).toBeLessThan(RECOVERY);
  });

  it('hangs in a migration, leaves no lock behind', async () => {
    // The name of a table that is being made is waited for.
    const blocking = site.testDatabase.query('BEGIN; CREATE TABLE bookings (); SELECT pg_sleep(6); ROLLBACK');
    await sleep(500);
    const preparing = site.database.prepare();
    await sleep(1_000);
    site.proxy.hang();
    await preparing;
    site.proxy.close();
    await site.restartProxy();
    await blocking;
    expect(await site.untilReady()).toBeLessThan(RECOVERY);
  });

  it('takes longer over a migration than over a statement, is waited for', async () => {
    const blocked = site.testDatabase.query('BEGIN; CREATE TABLE bookings (); SELECT pg_sleep(5); ROLLBACK');
    await sleep(500);
    const start = performance.now();
    await site.database.prepare();
    expect(performance.now() - start).toBeGreaterThan(3_000);
    await blocked;
    await expect(site.database.run({ text: 'SELECT 1' })).resolves.toBeDefined();
  });
});
