import { until } from 'testing';
import { StoreUnavailable } from '../../src/bookings/domain/booking.errors.js';
import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import { DatabaseUnavailable } from '../../src/platform/database/postgres-errors.js';
import { prepared } from '../../src/platform/database/statement.js';
import { aBooking } from '../bookings/arbitrary-bookings.js';
import { alterDatabase } from '../support/alter-database.js';
import { openDatabase, useDatabase } from '../support/open-database.js';
import { startApp } from '../support/start-app.js';

/** Milliseconds of a statement: less than its limit, and two exceed both limits together. */
const DELAY = 1_800;
const LIMITS = { DATABASE_POOL_SIZE: '2', DATABASE_CONNECT_TIMEOUT_MS: '1000', DATABASE_STATEMENT_TIMEOUT_MS: '2000' };

/** SQLSTATEs: one of each class, and each that the source names alone. */
const OUTSIDE = '08006 25006 26000 28000 3D000 40001 40P01 42501 42P01 53300 57P01 58030';
const FAULTS = '22003 23514 42601 42703 XX000';

const postgres = useDatabase({ env: LIMITS, scope: 'each' });

describe('A statement', () => {
  it('that times out ends on the server too', async () => {
    await expect(postgres.database.read({ text: 'SELECT pg_sleep(600)' })).rejects.toThrow(DatabaseUnavailable);
    const running = String.raw`SELECT FROM pg_stat_activity
      WHERE query LIKE '%pg\_sleep(600)%' AND state = 'active' AND pid <> pg_backend_pid()`;
    await until(async () => (await postgres.query(running)).length === 0);
  });

  it('times out while a new connection asks whether the server is the primary', async () => {
    await postgres.query(`CREATE FUNCTION pg_is_in_recovery() RETURNS boolean
      LANGUAGE sql AS 'SELECT pg_catalog.pg_sleep(600) IS NULL'`);
    await alterDatabase(postgres, ['search_path = public, pg_catalog']);
    const asking = await openDatabase(postgres.url, { ...LIMITS, DATABASE_STATEMENT_TIMEOUT_MS: '60000' });
    await expect(asking.read({ text: 'SELECT 1' })).rejects.toThrow(DatabaseUnavailable);
    asking.close();
  });

  it('runs once, even if the server has lost its prepared statement', async () => {
    await postgres.database.read({ text: 'CREATE TABLE counted (n int)' });
    const count = prepared('INSERT INTO counted VALUES (1)');
    await postgres.database.read(count);
    await postgres.database.read({ text: 'DEALLOCATE ALL' });
    await postgres.database.read(count);
    await postgres.database.read(count);
    expect((await postgres.database.read({ text: 'SELECT FROM counted' })).rowCount).toBe(3);
  });
});

describe('A request of several slow statements ends within the two time limits', () => {
  it('for a list of large bookings', async () => {
    const bookings = new PostgresBookingsRepository(postgres.database);
    for (let n = 0; n < 3; n++) await bookings.create(aBooking({ details: { note: 'x'.repeat(200_000) } }));
    await postgres.query('ALTER TABLE bookings RENAME TO quick');
    await postgres.query(`CREATE VIEW bookings AS SELECT quick.* FROM quick, pg_sleep(${DELAY / 1_000}) AS slow`);
    await expect(bookings.list({}, { limit: 100 })).rejects.toThrow(StoreUnavailable);
  });

  it('for a create without an insert or a conflict', async () => {
    await postgres.query(`
      CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(${DELAY / 1_000}); RETURN NULL; END $$;
      CREATE TRIGGER skip BEFORE INSERT ON bookings FOR EACH ROW EXECUTE FUNCTION skip()`);
    const creating = new PostgresBookingsRepository(postgres.database).create(aBooking({ resource: 'room' }));
    await expect(creating).rejects.toThrow(StoreUnavailable);
  });
});

it.each([
  ['off', 'on'],
  ['local', 'on'],
  ['remote_write', 'remote_write'],
])('With synchronous_commit %s for the database, a create has it %s', async (ofDatabase, ofCreate) => {
  await alterDatabase(postgres, [`synchronous_commit = ${ofDatabase}`]);
  await postgres.query(`
    CREATE TABLE seen (setting text);
    CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NEW; END $$;
    CREATE TRIGGER see BEFORE INSERT ON bookings FOR EACH ROW EXECUTE FUNCTION see()`);
  const bookings = new PostgresBookingsRepository(postgres.database);
  await Promise.all(Array.from({ length: 20 }, () => bookings.create(aBooking())));
  const { rows } = await postgres.database.write({
    text: `SELECT current_setting('synchronous_commit') AS of_session`,
  });
  expect(rows).toEqual([{ of_session: ofDatabase }]);
  expect(await postgres.query('SELECT DISTINCT setting FROM seen')).toEqual([{ setting: ofCreate }]);
});

describe('An error of PostgreSQL', () => {
  const raise = (code: string): Promise<unknown> =>
    postgres.database.read({
      text: `DO $$ BEGIN RAISE EXCEPTION 'raised by the test' USING ERRCODE = '${code}'; END $$`,
    });

  it('is an outage if waiting or an operator helps, and a bug otherwise', async () => {
    for (const code of OUTSIDE.split(' ')) {
      const error = await raise(code).catch((caught: unknown) => caught);
      expect([code, error]).toEqual([code, expect.any(DatabaseUnavailable)]);
    }
    for (const code of FAULTS.split(' ')) {
      await expect(raise(code)).rejects.toMatchObject({ code });
    }
  });

  it('is logged without the row that PostgreSQL quotes', async () => {
    const running = await startApp({ ...LIMITS, DATABASE_URL: postgres.url, LOG_LEVEL: 'trace' });
    await postgres.query(`ALTER TABLE bookings ADD CONSTRAINT broken CHECK (json = '') NOT VALID`);
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': 'key-c0ffee' };
    const create = { method: 'POST', headers, body: '{"secret":"c0ffee"}' };
    expect((await fetch(`${running.url}/v1/bookings`, create)).status).toBe(500);
    const lines = running.logged.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.find(({ msg }) => msg === 'Request failed')).toMatchObject({ level: 'error', err: { code: '23514' } });
    expect(running.logged.join('')).not.toContain('c0ffee');
    await running.close();
  });
});
