import { createTestDatabase, type TestDatabase } from 'testing';
import { StoreUnavailable } from '../../src/bookings/booking.errors.js';
import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import { readConfig } from '../../src/config/config.js';
import { Database } from '../../src/database/database.js';
import { aBooking } from '../bookings/arbitrary-bookings.js';

/** Milliseconds: each of the two time limits, what a statement takes, and what a request may take beyond both limits. */
const LIMIT = 500;
const DELAY = 450;
const SLACK = 250;

let testDatabase: TestDatabase;
let database: Database;
let bookings: PostgresBookingsRepository;

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  const env = {
    DATABASE_URL: testDatabase.url,
    DATABASE_CONNECT_TIMEOUT_MS: String(LIMIT),
    DATABASE_STATEMENT_TIMEOUT_MS: String(LIMIT),
  };
  database = new Database(readConfig(env).database!);
  await database.prepare();
  bookings = new PostgresBookingsRepository(database);
});
afterEach(async () => {
  await database.close();
  await testDatabase.drop();
});

async function expectTimeout(request: () => Promise<unknown>): Promise<void> {
  const begun = performance.now();
  await expect(request()).rejects.toThrow(StoreUnavailable);
  const took = performance.now() - begun;
  expect(took).toBeGreaterThan(LIMIT);
  expect(took).toBeLessThan(2 * LIMIT + SLACK);
}

describe('A request of several statements, each of which is slow but in time, ends within the two time limits', () => {
  it('where it is a list, with two statements for bookings with a slot and two for those without', async () => {
    const details = { note: 'x'.repeat(200_000) };
    await bookings.create(aBooking({ resource: 'room', details }));
    await bookings.create(aBooking({ details }));
    await testDatabase.query('ALTER TABLE bookings RENAME TO quick');
    await testDatabase.query(`CREATE VIEW bookings AS SELECT quick.* FROM quick, pg_sleep(${DELAY / 1_000}) AS slow`);
    await expectTimeout(() => bookings.list({ limit: 100, sort: 'start' }));
  });

  it('where it is a create that inserts nothing, though there is no conflict', async () => {
    await testDatabase.query(`
      CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(${DELAY / 1_000}); RETURN NULL; END $$;
      CREATE TRIGGER skip BEFORE INSERT ON bookings FOR EACH ROW EXECUTE FUNCTION skip()`);
    await expectTimeout(() => bookings.create(aBooking({ resource: 'room' })));
  });
});

it('A statement that was requested long ago is not waited for', async () => {
  const begun = performance.now();
  const requestedAt = begun - 2 * LIMIT;
  await expect(database.run({ text: `SELECT pg_sleep(60)` }, [], requestedAt)).rejects.toThrow('cannot reach');
  await expect(database.write({ text: `SELECT pg_sleep(60)` }, [], requestedAt)).rejects.toThrow('cannot reach');
  expect(performance.now() - begun).toBeLessThan(SLACK);
});
