import type { QueryResult } from 'pg';
import { createTestDatabase, type TestDatabase } from 'testing';
import type { Database } from '../../src/platform/database/database.js';
import { REACHES } from '../../src/bookings/postgres/list-statements.js';
import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import { aBooking } from './arbitrary-bookings.js';
import { expectToBehaveLikeModel } from './bookings-repository.model.js';
import { describeBookingsRepository } from './bookings-repository.suite.js';
import { openDatabase } from '../support/open-database.js';

const { jest } = import.meta;

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await openDatabase(testDatabase.url, { DATABASE_POOL_SIZE: '20' });
});

afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const LARGE = { note: 'x'.repeat(200_000) };

async function create(): Promise<PostgresBookingsRepository> {
  await database.run({ text: 'TRUNCATE bookings' });
  return new PostgresBookingsRepository(database);
}

describeBookingsRepository('The PostgreSQL repository', create);

describe('The PostgreSQL repository', () => {
  it('behaves like the model over 200 random histories', async () => {
    await expectToBehaveLikeModel(create, 200);
  });

  it('keeps its promises even if the service were wrong: the table itself rejects', async () => {
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

  it('receives no more than a page and one booking, however large they are', async () => {
    const bookings = await create();
    for (let index = 0; index < 20; index++) await bookings.create(aBooking({ details: LARGE }));
    const run = jest.spyOn(database, 'run');
    const page = await bookings.list({}, { limit: 100 });
    expect(page).toMatchObject({ bookings: { length: 5 }, hasMore: true });
    // The ids, the five that fit, and the sixth, which says that the page is full.
    const results = await Promise.all(run.mock.results.map(({ value }) => value as Promise<QueryResult>));
    const areLarge = results.map(({ rows }) => JSON.stringify(rows).length > LARGE.note.length);
    expect(areLarge).toEqual([false, true, true, true, true, true, true]);
  });

  it('reads a page again of which a large booking is deleted meanwhile: others may follow it', async () => {
    const bookings = await create();
    const [deleted, newest] = [aBooking({ details: { note: 'x'.repeat(600_000) } }), aBooking()];
    for (const booking of [aBooking({ createdAt: 0 }), deleted, newest]) await bookings.create(booking);
    const run = database.run.bind(database);
    jest.spyOn(database, 'run').mockImplementationOnce(async (...given) => {
      const result = await run(...given);
      await testDatabase.query('DELETE FROM bookings WHERE booking_id = $1', [deleted.bookingId]);
      return result;
    });
    expect(await bookings.list({}, { limit: 1 })).toEqual({ bookings: [newest], hasMore: true });
  });

  it('learns of the conflict of a create in the same round trip, if it was there before', async () => {
    const bookings = await create();
    const idempotent = { key: 'one round trip', fingerprint: 'payload' };
    const first = aBooking({ resource: 'one round trip' });
    await bookings.create(first, idempotent);
    const run = jest.spyOn(database, 'run');
    expect(await bookings.create(aBooking(), idempotent)).toEqual({ kind: 'replayed', booking: first });
    const held = first.slot!;
    expect(await bookings.create(aBooking({ resource: 'one round trip' }))).toEqual({ kind: 'slot_taken', held });
    expect(run).not.toHaveBeenCalled();
  });

  it('lists every class of length that the table has, and no other', async () => {
    const [row] = await testDatabase.query<{ classes: string }>(
      `SELECT pg_get_expr(adbin, adrelid) AS classes FROM pg_attrdef WHERE adrelid = 'bookings'::regclass`,
    );
    expect([...row!.classes.matchAll(/THEN \D?(\d+)/g)].map(([, reach]) => Number(reach))).toEqual(REACHES);
  });

  it('distinguishes resources by their names, not by a hash alone, which two may share', async () => {
    const [row] = await testDatabase.query<{ definition: string }>(
      `SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conname = 'slots_never_overlap'`,
    );
    expect(row!.definition).toContain('resource_id WITH =');
  });
});
