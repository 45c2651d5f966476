import { type BookingsQuery, MAX_PAGE_BYTES } from '../../src/bookings/bookings.repository.js';
import { listStatement } from '../../src/bookings/postgres/list-statements.js';
import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import { readConfig } from '../../src/config.js';
import { Database } from '../../src/postgres/database.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { aBooking } from './arbitrary-bookings.js';
import { expectToBehaveLikeModel } from './bookings-repository.model.js';
import { describeBookingsRepository } from './bookings-repository.suite.js';

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = new Database(readConfig({ DATABASE_URL: testDatabase.url, DATABASE_POOL_SIZE: '20' }).database!);
  await database.prepare();
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

async function create(): Promise<PostgresBookingsRepository> {
  await database.run({ text: 'TRUNCATE bookings' });
  return new PostgresBookingsRepository(database);
}

describeBookingsRepository('The PostgreSQL repository', create);

describe('The PostgreSQL repository', () => {
  it('behaves like the model over 200 random histories', async () => {
    await expectToBehaveLikeModel(create, 200);
  }, 120_000);

  it('keeps what it is told even where the service would be wrong: the table itself refuses', async () => {
    const bookings = await create();
    await bookings.create(aBooking({ resource: 'room', start: 9, end: 10 }));
    const insert = (resource: string | null, start: number | null, end: number | null): Promise<unknown> =>
      testDatabase.query(
        `INSERT INTO bookings (booking_id, resource_id, slot_start, slot_end, json) VALUES (gen_random_uuid(), $1, $2, $3, '{}')`,
        [resource, start, end],
      );
    const { start, end } = aBooking({ resource: 'room', start: 9, end: 10 }).slot!;
    await expect(insert('room', start, end)).rejects.toThrow('slots_never_overlap');
    await expect(insert('hall', start, start)).rejects.toThrow('slot_is_a_window');
    await expect(insert('hall', end, start)).rejects.toThrow('slot_is_a_window');
    await expect(insert('hall', start, null)).rejects.toThrow('slot_is_whole');
    await expect(insert(null, start, end)).rejects.toThrow('slot_is_whole');
  });

  it('is sent no more than a page and one booking, however large they are', async () => {
    const bookings = await create();
    const details = { note: 'x'.repeat(200_000) };
    for (let index = 0; index < 20; index++) await bookings.create(aBooking({ details }));
    const query: BookingsQuery = { limit: 100, sort: '-created_at' };
    const { text, values } = listStatement('by-creation', query, 101, MAX_PAGE_BYTES);
    const { rows } = await database.run<{ json: string }>({ text }, values);
    // Five fit, and the sixth says that the page is full.
    expect(rows.length).toBe(6);
  });

  it('tells resources apart by their names, not by a hash alone, which two may share', async () => {
    const [row] = await testDatabase.query<{ definition: string }>(
      `SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conname = 'slots_never_overlap'`,
    );
    expect(row!.definition).toContain('resource_id WITH =');
  });
});
