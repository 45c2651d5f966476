import { createTestDatabase, TcpProxy, type TestDatabase } from 'testing';
import { Database } from '../../src/database/database.js';
import type { Booking } from '../../src/bookings/booking.js';
import type { IdempotentCreate } from '../../src/bookings/bookings.repository.js';
import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import { readConfig } from '../../src/config/config.js';
import { aBooking } from '../bookings/arbitrary-bookings.js';
import { seemPooled } from '../support/pooled.js';
import { until } from '../support/until.js';

/** Milliseconds of a statement. */
const STATEMENT_TIMEOUT = 500;

let testDatabase: TestDatabase;
let proxy: TcpProxy;
let lost: Replica;
let other: Replica;

/** A replica that sends whole transactions, as it does through a pooler. */
class Replica {
  private readonly bookings: PostgresBookingsRepository;

  private constructor(readonly database: Database) {
    this.bookings = new PostgresBookingsRepository(database);
  }

  static async start(url: string): Promise<Replica> {
    const env = { DATABASE_URL: url, DATABASE_STATEMENT_TIMEOUT_MS: String(STATEMENT_TIMEOUT) };
    const database = new Database(readConfig(env).database!);
    await database.prepare();
    await seemPooled(database);
    return new Replica(database);
  }

  /** @returns the fault, if there is one */
  create(booking: Booking, idempotent?: IdempotentCreate): Promise<unknown> {
    return this.bookings.create(booking, idempotent).then(
      () => undefined,
      (error: unknown) => error,
    );
  }
}

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  proxy = await TcpProxy.start(Number(new URL(testDatabase.url).port));
  const proxied = new URL(testDatabase.url);
  proxied.port = String(proxy.port);
  lost = await Replica.start(proxied.href);
  other = await Replica.start(testDatabase.url);
});
afterAll(async () => {
  await other.database.close();
  proxy.close();
  await lost.database.close();
  await testDatabase.drop();
});

it('A replica that is gone between its insert and its commit blocks its slot and its key for two statement timeouts, and nothing else', async () => {
  const wished = aBooking({ resource: 'room', start: 1, end: 2 });
  const idempotent = { key: 'key', fingerprint: 'payload' };
  const isLost = proxy.loseClientsAt('COMMIT');
  const unanswered = lost.create(wished, idempotent);
  await isLost;

  const over = new AbortController();
  const faults: unknown[] = [];
  const book = async (resource: string): Promise<void> => {
    for (let start = 1; !over.signal.aborted; start++) {
      const fault = await other.create(aBooking({ resource, start, end: start + 1 }));
      if (fault !== undefined) faults.push(fault);
    }
  };
  const others = Promise.all(Array.from({ length: 16 }, (_, writer) => book(`r${writer}`)));
  const retry = async (): Promise<boolean> => (await other.create(wished, idempotent)) === undefined;
  const blocked = await until(retry).finally(() => over.abort());
  await others;
  expect(blocked).toBeLessThan(5 * STATEMENT_TIMEOUT);
  expect(faults).toEqual([]);
  expect(await unanswered).toBeInstanceOf(Error);
});
