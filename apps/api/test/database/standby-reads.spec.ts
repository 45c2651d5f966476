import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Client } from 'pg';
import { createTestDatabase, TcpProxy, type TestDatabase } from 'testing';
import type { Database } from '../../src/database/database.js';
import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import { aBooking } from '../bookings/arbitrary-bookings.js';
import { openDatabase } from '../support/open-database.js';
import { until } from '../support/until.js';

let primary: TestDatabase;
/** In place of a standby: a database that has what the test gives it. */
let standby: TestDatabase;
let proxy: TcpProxy;
let database: Database;
let bookings: PostgresBookingsRepository;

beforeAll(async () => {
  [primary, standby] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  await (await openDatabase(standby.url)).close();
  proxy = await TcpProxy.start(Number(new URL(standby.url).port));
  database = await connect();
  bookings = new PostgresBookingsRepository(database);
});
afterAll(async () => {
  await database.close();
  proxy.close();
  await Promise.all([primary.drop(), standby.drop()]);
});

/** The primary, and the standby behind the proxy. */
async function connect(): Promise<Database> {
  const url = new URL(standby.url);
  url.port = String(proxy.port);
  const connected = await openDatabase(primary.url, { DATABASE_READ_URL: url.href });
  return connected;
}

/** Has the primary respond to no read. */
async function whileLocked(work: () => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: primary.url });
  await client.connect();
  await client.query('BEGIN; LOCK TABLE bookings');
  try {
    await work();
  } finally {
    await client.end();
  }
}

const timed = async (work: Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work;
  return performance.now() - start;
};

describe('A get', () => {
  const kept = aBooking({ resource: 'room', start: 1, end: 2 });
  const isOnStandby = async (): Promise<boolean> => {
    await sleep(200);
    return (await timed(bookings.find(kept.bookingId))) < 1_000;
  };

  it('finds on the primary what the standby does not have yet', async () => {
    await bookings.create(kept);
    expect(await bookings.find(kept.bookingId)).toEqual(kept);
    expect(await bookings.find(aBooking().bookingId)).toBeUndefined();
  });

  it('is served by the standby where that has the booking', async () => {
    const { bookingId, slot, json } = kept;
    await standby.query(
      'INSERT INTO bookings (booking_id, resource_id, slot_start, slot_end, json) VALUES ($1, $2, $3, $4, $5)',
      [bookingId, slot!.resourceId, slot!.start, slot!.end, json],
    );
    await whileLocked(async () => expect(await bookings.find(bookingId)).toEqual(kept));
  });

  it('goes on while the standby hangs, hardly later, and back to it afterwards', async () => {
    proxy.hang();
    const slowest = Math.max(...(await Promise.all([1, 2, 3].map(() => timed(bookings.find(kept.bookingId))))));
    expect(slowest).toBeLessThan(1_500);
    expect(await bookings.find(kept.bookingId)).toEqual(kept);
    proxy.goOn();
    await sleep(1_100);
    await bookings.find(kept.bookingId);
    await whileLocked(async () => void (await until(isOnStandby)));
  });

  it('says once that no standby responds, and once that one does again', async () => {
    const { jest } = import.meta;
    const said: string[] = [];
    const say = (text: string): void => void said.push(text);
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(say);
    jest.spyOn(Logger.prototype, 'log').mockImplementation(say);
    const fresh = await connect();
    const readFor = async (milliseconds: number): Promise<void> => {
      for (const end = performance.now() + milliseconds; performance.now() < end; await sleep(50)) {
        expect(await new PostgresBookingsRepository(fresh).find(kept.bookingId)).toEqual(kept);
      }
    };
    try {
      proxy.hang();
      await readFor(1_600);
      expect(said).toEqual([expect.stringMatching(/^No standby responds; using the primary: /)]);
      proxy.goOn();
      await readFor(1_200);
      proxy.hang();
      await readFor(300);
      // A moment in which it responds is no end of it.
      expect(said).toHaveLength(1);
      proxy.goOn();
      await readFor(2_800);
      expect(said.slice(1)).toEqual(['A standby responds again.']);
    } finally {
      jest.restoreAllMocks();
      await fresh.close();
    }
  });
});
