import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { LocalPostgres, PgBouncer, TcpProxy } from 'testing';
import { StoreUnavailable } from '../../src/bookings/booking.errors.js';
import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import type { Database } from '../../src/database/database.js';
import { aBooking } from '../bookings/arbitrary-bookings.js';
import { openDatabase } from '../support/open-database.js';
import { isThroughPgBouncer } from '../support/pooled.js';
import { startPooler } from '../support/pooler.js';
import { until } from '../support/until.js';

const POOL_SIZE = 4;
/** Creates that give up, and again: new connections for those of the second round would be seen. */
const CREATES = 12;
const LIMITS = {
  DATABASE_POOL_SIZE: String(POOL_SIZE),
  DATABASE_CONNECT_TIMEOUT_MS: '2000',
  DATABASE_STATEMENT_TIMEOUT_MS: '2000',
};

let folder: string;
let server: LocalPostgres;
let url: string;
let admin: Client;
let database: Database;
let bookings: PostgresBookingsRepository;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bookings-standby-'));
  server = await LocalPostgres.start(folder, ['-c', 'max_connections=40']);
  await server.createDatabase('bookings');
  url = server.url('bookings');
  admin = new Client({ connectionString: url });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => database.close());

async function connect(through: string): Promise<void> {
  database = await openDatabase(through, LIMITS);
  bookings = new PostgresBookingsRepository(database);
}

async function startRealPooler(): Promise<{ url: string; close(): void }> {
  if (!isThroughPgBouncer()) return startPooler(url, '08P01');
  const pgBouncer = await PgBouncer.start(url);
  return { url: pgBouncer.through(url), close: () => void pgBouncer.stop() };
}

async function expectStandby(names: string): Promise<void> {
  await admin.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
  await admin.query('SELECT pg_reload_conf()');
  await until(
    async () => (await admin.query('SHOW synchronous_standby_names')).rows[0].synchronous_standby_names === names,
  );
}

async function connections(): Promise<number> {
  const { rowCount } = await admin.query(`SELECT FROM pg_stat_activity WHERE application_name = 'booking-service'`);
  return rowCount!;
}

const isDone = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );
const isKept = (): Promise<boolean> => isDone(bookings.create(aBooking()));

async function rejectedTwice(): Promise<void> {
  for (let round = 0; round < 2; round++) {
    for (const outcome of await Promise.allSettled(
      Array.from({ length: CREATES }, () => bookings.create(aBooking())),
    )) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) });
    }
  }
}

it.each([
  ['directly', async () => ({ url, close: () => {} })],
  ['through a pooler', startRealPooler],
])(
  'While a synchronous standby is down, reads go on %s, nothing is acknowledged, and connections do not pile up',
  async (_, open) => {
    const address = await open();
    await connect(address.url);
    const known = aBooking({ resource: 'room' });
    await bookings.create(known);
    await expectStandby('nobody');
    const writing = { isOver: false };
    const writes = rejectedTwice().finally(() => (writing.isOver = true));
    let [reads, late, most] = [0, 0, 0];
    while (!writing.isOver) {
      const query = { limit: 10, sort: 'start', resourceId: 'room' } as const;
      const reading = Promise.all([bookings.find(known.bookingId), bookings.list(query), bookings.checkReady()]);
      if (await isDone(reading)) reads++;
      else late++;
      most = Math.max(most, await connections());
      await sleep(50);
    }
    await writes;
    // One may be late on a busy machine.
    expect(reads).toBeGreaterThan(2 * late + 2);
    expect(most).toBeLessThanOrEqual(POOL_SIZE);
    await expectStandby('');
    await until(isKept);
    expect(await connections()).toBeLessThanOrEqual(POOL_SIZE);
    address.close();
  },
);

it('A connection for writes that the network has forgotten is given up when the server says that nothing runs on it', async () => {
  const proxy = await TcpProxy.start(server.port);
  const proxied = new URL(url);
  proxied.port = String(proxy.port);
  await connect(proxied.href);
  const together = (): Promise<boolean[]> => Promise.all(Array.from({ length: 8 }, isKept));
  await until(async () => !(await together()).includes(false));
  proxy.hangOpen();
  expect(await together()).toContain(false);
  // The connections for writes that were opened meanwhile.
  proxy.hangOpen();
  await until(isKept);
  proxy.close();
});
