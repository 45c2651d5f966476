import { createTestDatabase, PgBouncer, type TestDatabase } from 'testing';
import { Database } from '../../src/database/database.js';
import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import { readConfig } from '../../src/config/config.js';
import { aBooking } from '../bookings/arbitrary-bookings.js';

const OPTIONS = 'options=-c%20search_path%3Dtenant';
const REFUSAL = 'a transaction pooler does not keep the settings in `options` of DATABASE_URL';

let testDatabase: TestDatabase;
beforeAll(async () => void (testDatabase = await createTestDatabase()));
afterAll(() => testDatabase.drop());

/** The database by another PgBouncer with these settings. */
async function whileThrough<Result>(settings: string[], work: (url: string) => Promise<Result>): Promise<Result> {
  const pgBouncer = await PgBouncer.start(process.env['TEST_SERVER_URL']!, settings);
  try {
    return await work(pgBouncer.through(testDatabase.url));
  } finally {
    await pgBouncer.stop();
  }
}

const connect = (url: string): Database => new Database(readConfig({ DATABASE_URL: url }).database!);

describe.each([
  ['rejects parameters that it does not know', []],
  ['ignores `options`', ['ignore_startup_parameters = options']],
])('A PgBouncer that %s', (_, settings) => {
  it('serves creates, gets and lists', () =>
    whileThrough(settings, async (url) => {
      const database = connect(url);
      await database.prepare();
      const bookings = new PostgresBookingsRepository(database);
      const booked = Array.from({ length: 20 }, () => aBooking());
      await Promise.all(booked.map((booking) => bookings.create(booking)));
      const found = await Promise.all(booked.map(({ bookingId }) => bookings.find(bookingId)));
      expect(found.map((booking) => booking?.json)).toEqual(booked.map(({ json }) => json));
      expect((await bookings.list({ limit: 5, sort: 'start' })).bookings).toHaveLength(5);
      await database.close();
    }));

  it('serves nobody whose connection string has settings, which it would lose', () =>
    whileThrough(settings, async (url) => {
      const database = connect(`${url}?${OPTIONS}`);
      await expect(database.prepare()).rejects.toThrow(REFUSAL);
      await database.close();
    }));
});
