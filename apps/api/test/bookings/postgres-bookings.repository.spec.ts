import type { QueryResult, QueryResultRow } from 'pg';
import { createTestDatabase, type TestDatabase } from 'testing';
import { Database } from '../../src/platform/database/database.js';
import { REACHES } from '../../src/bookings/postgres/list-statements.js';
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

const LARGE = { note: 'x'.repeat(200_000) };

/** Keeps what its reads returned. */
class WatchedDatabase extends Database {
  readonly reads: unknown[][] = [];
  afterRead: (() => Promise<void>) | undefined;

  override async run<Row extends QueryResultRow>(...given: Parameters<Database['run']>): Promise<QueryResult<Row>> {
    const result = await super.run<Row>(...given);
    this.reads.push(result.rows);
    await this.afterRead?.();
    return result;
  }
}

async function watchedDatabase(afterRead?: () => Promise<void>): Promise<WatchedDatabase> {
  const watched = new WatchedDatabase(readConfig({ DATABASE_URL: testDatabase.url }).database!);
  await watched.prepare();
  watched.afterRead = afterRead;
  return watched;
}

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
    const watched = await watchedDatabase();
    const page = await new PostgresBookingsRepository(watched).list({}, { limit: 100 });
    await watched.close();
    expect(page).toMatchObject({ bookings: { length: 5 }, hasMore: true });
    // The ids, the five that fit, and the sixth, which says that the page is full.
    expect(watched.reads.map((rows) => JSON.stringify(rows).length < LARGE.note.length)).toEqual([
      true,
      ...Array(6).fill(false),
    ]);
  });

  it('reads a page again of which a large booking is deleted meanwhile: others may follow it', async () => {
    const bookings = await create();
    const deleted = aBooking({ details: { note: 'x'.repeat(600_000) } });
    const newest = aBooking();
    for (const booking of [aBooking({ createdAt: 0 }), deleted, newest]) await bookings.create(booking);
    const watched = await watchedDatabase(async () => {
      await testDatabase.query('DELETE FROM bookings WHERE booking_id = $1', [deleted.bookingId]);
    });
    const page = await new PostgresBookingsRepository(watched).list({}, { limit: 1 });
    await watched.close();
    expect(page).toEqual({ bookings: [newest], hasMore: true });
  });

  it('learns of the conflict of a create in the same round trip, if it was there before', async () => {
    const watched = await watchedDatabase();
    const bookings = new PostgresBookingsRepository(watched);
    const idempotent = { key: 'one round trip', fingerprint: 'payload' };
    const first = aBooking({ resource: 'one round trip' });
    await bookings.create(first, idempotent);
    expect(await bookings.create(aBooking(), idempotent)).toEqual({ kind: 'replayed', booking: first });
    const held = first.slot!;
    expect(await bookings.create(aBooking({ resource: 'one round trip' }))).toEqual({ kind: 'slot_taken', held });
    await watched.close();
    expect(watched.reads).toEqual([]);
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
