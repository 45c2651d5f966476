import { createTestDatabase } from 'testing';
import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import { readConfig } from '../../src/config/config.js';
import { Database } from '../../src/database/database.js';
import { aBooking } from '../bookings/arbitrary-bookings.js';

it('A commit waits for the disk, also if synchronous_commit is switched off after the start', async () => {
  const testDatabase = await createTestDatabase();
  const database = new Database(readConfig({ DATABASE_URL: testDatabase.url }).database!);
  // Opens no connection for creates yet.
  await database.prepare();
  const [row] = await testDatabase.query<{ name: string }>('SELECT current_database() AS name');
  await testDatabase.query(`ALTER DATABASE ${row!.name} SET synchronous_commit = off`);
  await testDatabase.query(`
    CREATE TABLE seen (setting text);
    CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NEW; END $$;
    CREATE TRIGGER see BEFORE INSERT ON bookings FOR EACH ROW EXECUTE FUNCTION see()`);
  const bookings = new PostgresBookingsRepository(database);
  await Promise.all(Array.from({ length: 20 }, () => bookings.create(aBooking())));
  const { rows } = await database.write({ text: `SELECT current_setting('synchronous_commit') AS of_session` });
  expect(rows).toEqual([{ of_session: 'off' }]);
  expect(await testDatabase.query('SELECT DISTINCT setting FROM seen')).toEqual([{ setting: 'on' }]);
  await database.close();
  await testDatabase.drop();
});
