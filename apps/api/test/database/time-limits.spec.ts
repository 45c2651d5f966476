import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from 'testing';
import { Database } from '../../src/database/database.js';
import { DatabaseUnavailable } from '../../src/database/postgres-errors.js';
import { migrate } from '../../src/database/migrations.js';
import { prepared } from '../../src/database/statement.js';
import { readConfig } from '../../src/config/config.js';
import { alterDatabase } from '../support/alter-database.js';

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const env = { DATABASE_URL: testDatabase.url, DATABASE_POOL_SIZE: '2', DATABASE_STATEMENT_TIMEOUT_MS: '700' };
  database = new Database(readConfig(env).database!);
  await database.prepare();
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const raise = (code: string): Promise<unknown> =>
  database.run({ text: `DO $$ BEGIN RAISE EXCEPTION 'raised by the test' USING ERRCODE = '${code}'; END $$` });

describe('A statement', () => {
  it('that takes too long ends on the server too', async () => {
    await expect(database.run({ text: 'SELECT pg_sleep(60)' })).rejects.toThrow(DatabaseUnavailable);
    await sleep(500);
    const running = await testDatabase.query(
      `SELECT query FROM pg_stat_activity WHERE query LIKE '%pg\\_sleep(60)%' AND state = 'active' AND pid <> pg_backend_pid()`,
    );
    expect(running).toEqual([]);
  });

  it('is run once, however often its prepared statement is missing', async () => {
    await database.run({ text: 'CREATE TABLE counted (n int)' });
    const count = prepared('INSERT INTO counted VALUES (1)');
    await database.run(count);
    await database.run({ text: 'DEALLOCATE ALL' });
    await database.run(count);
    await database.run(count);
    const { rows } = await database.run<{ n: string }>({ text: 'SELECT count(*) AS n FROM counted' });
    expect(rows).toEqual([{ n: '3' }]);
  });

  it('has the time limits of the service, whatever those of the database are', async () => {
    const limited = await createTestDatabase();
    const settings = readConfig({ DATABASE_URL: limited.url }).database!;
    await migrate(settings);
    await alterDatabase(limited, [
      'statement_timeout = 300',
      'lock_timeout = 1',
      'idle_in_transaction_session_timeout = 1',
    ]);
    const service = new Database(settings);
    await service.prepare();
    const holding = limited.query(`SET statement_timeout = 0; SELECT pg_advisory_xact_lock(7), pg_sleep(0.8)`);
    await sleep(200);
    await expect(service.run({ text: 'SELECT pg_advisory_xact_lock(7)' })).resolves.toMatchObject({ rowCount: 1 });
    await holding;
    await service.close();
    await limited.drop();
  });

  it('that writes, and was queued before, has no longer than one that was not', async () => {
    const settings = readConfig({ DATABASE_URL: testDatabase.url, DATABASE_STATEMENT_TIMEOUT_MS: '5000' }).database!;
    const patient = new Database(settings);
    await patient.prepare();
    const begun = performance.now();
    // All the time to wait for a connection was waited before, and all but 100 ms of its own.
    const requestedAt = begun - settings.connectTimeout - settings.statementTimeout + 100;
    await expect(patient.write({ text: 'SELECT pg_sleep(60)' }, [], requestedAt)).rejects.toThrow(DatabaseUnavailable);
    expect(performance.now() - begun).toBeLessThan(3_000);
    await patient.close();
  });

  it.each([
    '08006',
    '25006',
    '25P03',
    '26000',
    '28000',
    '34000',
    '3D000',
    '40001',
    '40003',
    '40P01',
    '42501',
    '42883',
    '42P01',
    '42P05',
    '53100',
    '53300',
    '55006',
    '55P03',
    '57014',
    '57P01',
    '57P03',
    '57P04',
    '57P05',
    '58030',
    '72000',
  ])('is rejected as unavailable with SQLSTATE %s, which comes from outside', async (code) => {
    await expect(raise(code)).rejects.toThrow(DatabaseUnavailable);
  });

  it.each(['22003', '23514', '42601', '42703', 'XX000'])('is a fault with SQLSTATE %s', async (code) => {
    await expect(raise(code)).rejects.toMatchObject({ code });
  });
});
