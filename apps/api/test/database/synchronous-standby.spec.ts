import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { LocalPostgres, PgBouncer, TcpProxy } from 'testing';
import { Database } from '../../src/database/database.js';
import { StoreUnavailable } from '../../src/bookings/booking.errors.js';
import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import { readConfig } from '../../src/config/config.js';
import type { Booking } from '../../src/bookings/booking.js';
import { aBooking } from '../bookings/arbitrary-bookings.js';
import { isThroughPgBouncer } from '../support/pooled.js';
import { startPooler } from '../support/pooler.js';
import { until } from '../support/until.js';

const POOL_SIZE = 6;
/** Creates of each writer while the standby is away: a new connection for each that gave up would be seen. */
const CREATES = 2;
/** Milliseconds: reads keep within it on a machine that others use too. */
const STATEMENT_TIMEOUT = 2_000;

let folder: string;
let server: LocalPostgres;
let pooler: { url: string; close(): void };
let admin: Client;

/** A service's side of the server, whose connections the server knows by their name. */
interface Site {
  readonly name: string;
  readonly database: Database;
  readonly bookings: PostgresBookingsRepository;
}
let sites: Site[];

async function connect(url: string, name: string): Promise<Site> {
  const named = new URL(url);
  named.searchParams.set('application_name', name);
  const env = {
    DATABASE_URL: named.href,
    DATABASE_POOL_SIZE: String(POOL_SIZE),
    DATABASE_CONNECT_TIMEOUT_MS: '2000',
    DATABASE_STATEMENT_TIMEOUT_MS: String(STATEMENT_TIMEOUT),
  };
  const database = new Database(readConfig(env).database!);
  await database.prepare();
  return { name, database, bookings: new PostgresBookingsRepository(database) };
}

async function startPgBouncer(url: string): Promise<typeof pooler> {
  const pgBouncer = await PgBouncer.start(url);
  return { url: pgBouncer.through(url), close: () => void pgBouncer.stop() };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bookings-standby-'));
  server = await LocalPostgres.start(folder, ['-c', 'max_connections=40']);
  await server.createDatabase('bookings');
  const url = server.url('bookings');
  admin = new Client({ connectionString: url });
  await admin.connect();
  pooler = isThroughPgBouncer() ? await startPgBouncer(url) : await startPooler(url, '08P01');
  sites = [await connect(url, 'direct'), await connect(pooler.url, 'pooled')];
});

afterAll(async () => {
  await Promise.all(sites?.map(({ database }) => database.close()) ?? []);
  pooler?.close();
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
const backends = async (name: string): Promise<number> => {
  const { rowCount } = await admin.query('SELECT FROM pg_stat_activity WHERE application_name = $1', [name]);
  return rowCount!;
};

/** Books, and reads until that is done. */
async function use(
  { name, bookings }: Site,
  known: Booking,
): Promise<{ outcomes: Set<unknown>; reads: number; most: number }> {
  const outcomes = new Set<unknown>();
  let reads = 0;
  let most = 0;
  const writes = { areDone: false };
  const write = async (writer: number): Promise<void> => {
    for (let number = 0; number < CREATES; number++) {
      const booking = aBooking({ resource: `${name}${writer}`, start: number, end: number + 1 });
      outcomes.add(
        await bookings.create(booking).then(
          () => 'acknowledged',
          (error: Error) => error.constructor,
        ),
      );
    }
  };
  const read = async (): Promise<void> => {
    for (; !writes.areDone; reads++) {
      expect(await bookings.find(known.bookingId)).toEqual(known);
      expect((await bookings.list({ limit: 10, sort: 'start', resourceId: 'room' })).bookings).toEqual([known]);
      await bookings.checkReady();
    }
  };
  const watch = async (): Promise<void> => {
    for (; !writes.areDone; await sleep(50)) most = Math.max(most, await backends(name));
  };
  const writing = Promise.all(Array.from({ length: 12 }, (_, writer) => write(writer))).then(
    () => void (writes.areDone = true),
  );
  await Promise.all([writing, watch(), read(), read()]);
  return { outcomes, reads, most };
}

it('While a synchronous standby is away reads go on, nothing is acknowledged, and connections do not pile up', async () => {
  const known = aBooking({ resource: 'room', start: 1, end: 2 });
  await sites[0]!.bookings.create(known);
  await expectStandby('nobody');
  for (const { outcomes, reads, most } of await Promise.all(sites.map((site) => use(site, known)))) {
    expect([...outcomes]).toEqual([StoreUnavailable]);
    expect(reads).toBeGreaterThan(2);
    expect(most).toBeLessThanOrEqual(POOL_SIZE);
  }

  await expectStandby('');
  for (const { name, bookings } of sites) {
    await until(() =>
      bookings.create(aBooking()).then(
        () => true,
        () => false,
      ),
    );
    expect(await backends(name)).toBeLessThanOrEqual(POOL_SIZE);
  }
});

it('A connection for writes that the network has forgotten is given up when the server says that nothing runs on it', async () => {
  const proxy = await TcpProxy.start(server.port);
  const proxied = new URL(server.url('bookings'));
  proxied.port = String(proxy.port);
  const { database, bookings } = await connect(proxied.href, 'proxied');
  try {
    const isKept = (): Promise<boolean> =>
      bookings.create(aBooking()).then(
        () => true,
        () => false,
      );
    const together = (): Promise<boolean[]> => Promise.all(Array.from({ length: 8 }, isKept));
    expect(await together()).not.toContain(false);
    proxy.hangOpen();
    expect(await together()).toContain(false);
    // The connections for writes that were opened meanwhile.
    proxy.hangOpen();
    await until(isKept);
  } finally {
    await database.close();
    proxy.close();
  }
});
