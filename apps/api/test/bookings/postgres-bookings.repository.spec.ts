import type { QueryResult, QueryResultRow } from 'pg';
import { createTestDatabase, type TestDatabase } from 'testing';
import { Database } from '../../src/database/database.js';
import { MAX_PAGE_BYTES } from '../../src/bookings/bookings.repository.js';
import { largePageStatement, pageStatement, SEPARATOR } from '../../src/bookings/postgres/list-statements.js';
import type { Page } from '../../src/bookings/postgres/list-texts.js';
import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import { readConfig } from '../../src/config/config.js';
import { aBooking } from './arbitrary-bookings.js';
import { expectToBehaveLikeModel } from './bookings-repository.model.js';
import { describeBookingsRepository } from './bookings-repository.suite.js';
import { openDatabase } from '../support/open-database.js';

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await openDatabase(testDatabase.url, { DATABASE_POOL_SIZE: '20' });
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
    const details = { note: 'x'.repeat(200_000) };
    for (let index = 0; index < 20; index++) await bookings.create(aBooking({ details }));
    const page: Page = { filter: { sort: '-created_at' }, limit: 101, room: MAX_PAGE_BYTES };
    const rowsOf = async (form: typeof pageStatement): Promise<Record<string, string>[]> => {
      const { statement, values } = form('by creation', page);
      return (await database.run<Record<string, string>>(statement, values)).rows;
    };
    const [{ page: text } = {}] = await rowsOf(pageStatement);
    expect(text!.split(SEPARATOR).slice(0, 20)).toEqual(Array.from({ length: 20 }, () => ''));
    expect(text!.length).toBeLessThan(details.note.length);
    // Five fit, and the sixth says that the page is full.
    expect(await rowsOf(largePageStatement)).toHaveLength(6);
  });

  it('learns of the conflict of a create in the same round trip, if it was there before', async () => {
    let queries = 0;
    class CountingDatabase extends Database {
      override run<Row extends QueryResultRow>(...given: Parameters<Database['run']>): Promise<QueryResult<Row>> {
        queries++;
        return super.run<Row>(...given);
      }
    }
    const counting = new CountingDatabase(readConfig({ DATABASE_URL: testDatabase.url }).database!);
    await counting.prepare();
    const bookings = new PostgresBookingsRepository(counting);
    const idempotent = { key: 'one round trip', fingerprint: 'payload' };
    const first = aBooking({ resource: 'one round trip' });
    await bookings.create(first, idempotent);
    expect(await bookings.create(aBooking(), idempotent)).toEqual({ kind: 'replayed', booking: first });
    const held = first.slot!;
    expect(await bookings.create(aBooking({ resource: 'one round trip' }))).toEqual({ kind: 'slot_taken', held });
    await counting.close();
    expect(queries).toBe(0);
  });

  it('distinguishes resources by their names, not by a hash alone, which two may share', async () => {
    const [row] = await testDatabase.query<{ definition: string }>(
      `SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conname = 'slots_never_overlap'`,
    );
    expect(row!.definition).toContain('resource_id WITH =');
  });
});
