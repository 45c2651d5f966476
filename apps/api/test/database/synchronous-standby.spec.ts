import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { LocalPostgres, TcpProxy } from 'testing';
import { Database } from '../../src/database/database.js';
import { StoreUnavailable } from '../../src/bookings/booking.errors.js';
import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import { readConfig } from '../../src/config/config.js';
import { aBooking } from '../bookings/arbitrary-bookings.js';
import { until } from '../support/until.js';

const POOL_SIZE = 6;
/** Milliseconds that the standby is away: a new connection for each create that gave up would be seen. */
const AWAY = 3_000;

let folder: string;
let server: LocalPostgres;
let admin: Client;
let database: Database;
let bookings: PostgresBookingsRepository;

function connect(url: string): Database {
  const env = {
    DATABASE_URL: url,
    DATABASE_POOL_SIZE: String(POOL_SIZE),
    DATABASE_CONNECT_TIMEOUT_MS: '300',
    DATABASE_STATEMENT_TIMEOUT_MS: '300',
  };
  return new Database(readConfig(env).database!);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bookings-standby-'));
  server = await LocalPostgres.start(folder, ['-c', 'max_connections=40']);
  await server.createDatabase('bookings');
  admin = new Client({ connectionString: server.url('bookings') });
  await admin.connect();
  database = connect(server.url('bookings'));
  await database.prepare();
  bookings = new PostgresBookingsRepository(database);
});

afterAll(async () => {
  await database?.close();
  await admin?.end();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const expectStandby = async (names: string): Promise<void> => {
  await admin.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
  await admin.query('SELECT pg_reload_conf()');
  await until(
    async () => (await admin.query('SHOW synchronous_standby_names')).rows[0].synchronous_standby_names === names,
  );
};
const backends = async (): Promise<number> => {
  const { rowCount } = await admin.query(`SELECT FROM pg_stat_activity WHERE application_name = 'booking-service'`);
  return rowCount!;
};

it('While a synchronous standby is away reads go on, nothing is acknowledged, and connections do not pile up', async () => {
  const known = aBooking({ resource: 'room', start: 1, end: 2 });
  await bookings.create(known, { key: 'known', fingerprint: 'payload' });
  await expectStandby('nobody');
  const end = performance.now() + AWAY;
  const outcomes = new Set<unknown>();
  let reads = 0;
  const write = async (writer: number): Promise<void> => {
    for (let number = 0; performance.now() < end; number++) {
      const booking = aBooking({ resource: `r${writer}`, start: number, end: number + 1 });
      outcomes.add(
        await bookings.create(booking).then(
          () => 'acknowledged',
          (error: Error) => error.constructor,
        ),
      );
    }
  };
  const read = async (): Promise<void> => {
    for (; performance.now() < end; reads++) {
      expect(await bookings.find(known.bookingId)).toEqual(known);
      expect((await bookings.list({ limit: 10, sort: 'start', resourceId: 'room' })).bookings).toEqual([known]);
      await bookings.checkReady();
    }
  };
  let most = 0;
  const watch = async (): Promise<void> => {
    for (; performance.now() < end; await sleep(50)) most = Math.max(most, await backends());
  };
  await Promise.all([watch(), read(), read(), ...Array.from({ length: 12 }, (_, writer) => write(writer))]);
  expect([...outcomes]).toEqual([StoreUnavailable]);
  expect(reads).toBeGreaterThan(20);
  expect(most).toBeLessThanOrEqual(POOL_SIZE);

  await expectStandby('');
  const isKept = async (): Promise<boolean> =>
    bookings.create(aBooking()).then(
      () => true,
      () => false,
    );
  await until(isKept);
  expect(await backends()).toBeLessThanOrEqual(POOL_SIZE);
});

it('A connection for writes that the network has forgotten is given up when the server says that nothing runs on it', async () => {
  const proxy = await TcpProxy.start(server.port);
  const proxied = new URL(server.url('bookings'));
  proxied.port = String(proxy.port);
  const throughProxy = connect(proxied.href);
  await throughProxy.prepare();
  const forgetful = new PostgresBookingsRepository(throughProxy);
  try {
    const isKept = (): Promise<boolean> =>
      forgetful.create(aBooking()).then(
        () => true,
        () => false,
      );
    const together = (): Promise<boolean[]> => Promise.all(Array.from({ length: 8 }, isKept));
    // The time limits are short: on a busy machine a new connection can take longer.
    await until(async () => !(await together()).includes(false));
    proxy.hangOpen();
    expect(await together()).not.toContain(true);
    expect(await until(isKept)).toBeLessThan(5_000);
  } finally {
    await throughProxy.close();
    proxy.close();
  }
});
