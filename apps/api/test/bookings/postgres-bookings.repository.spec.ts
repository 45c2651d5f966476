import type { QueryResult } from 'pg';
import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import { useDatabase } from '../support/open-database.js';
import { aBooking } from './arbitrary-bookings.js';
import { describeBookingsRepository } from './bookings-repository.suite.js';

const { jest } = import.meta;

const postgres = useDatabase({ env: { DATABASE_POOL_SIZE: '20' } });
afterEach(() => jest.restoreAllMocks());

const LARGE = { note: 'x'.repeat(200_000) };

async function create(): Promise<PostgresBookingsRepository> {
  await postgres.query('TRUNCATE bookings');
  return new PostgresBookingsRepository(postgres.database);
}

describeBookingsRepository('The PostgreSQL repository', create, 60);

it('The table rejects rows that only a faulty service would send', async () => {
  const insert = (resource: string | null, start: number | null, end: number | null): Promise<unknown> =>
    postgres.query(
      `INSERT INTO bookings (booking_id, resource_id, slot_start, slot_end, json) VALUES (gen_random_uuid(), $1, $2, $3, '{}')`,
      [resource, start, end],
    );
  const { start, end } = aBooking({ resource: 'hall' }).slot!;
  await insert('hall', start, end);
  await expect(insert('hall', start, end)).rejects.toThrow('slots_never_overlap');
  await expect(insert('room', start, start)).rejects.toThrow('slot_is_a_window');
  await expect(insert('room', start, null)).rejects.toThrow('slot_is_whole');
  await expect(insert(null, start, end)).rejects.toThrow('slot_is_whole');
});

it('The constraint tells resources apart by their names, since two may share a hash', async () => {
  const [row] = await postgres.query<{ definition: string }>(
    `SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conname = 'slots_never_overlap'`,
  );
  expect(row!.definition).toContain('resource_id WITH =');
});

it('A slot that is taken is rejected without reading the booking that has it', async () => {
  const bookings = await create();
  const slot = { resource: 'hall', start: 0, end: 2 };
  const holder = aBooking({ ...slot, details: LARGE });
  await bookings.create(holder);
  const write = jest.spyOn(postgres.database, 'write');
  const rejected = Array.from({ length: 4 }, () => bookings.create(aBooking({ ...slot, start: 1 })));
  expect(await Promise.all(rejected)).toEqual(rejected.map(() => ({ kind: 'slot_taken', held: holder.slot })));
  const results = await Promise.all(write.mock.results.map(({ value }) => value as Promise<QueryResult>));
  expect(JSON.stringify(results.map(({ rows }) => rows)).length).toBeLessThan(LARGE.note.length);
});

describe('A page', () => {
  it('takes no more from the database than its bookings and one more, however large they are', async () => {
    const bookings = await create();
    for (let index = 0; index < 20; index++) await bookings.create(aBooking({ details: LARGE }));
    const run = jest.spyOn(postgres.database, 'read');
    const page = await bookings.list({}, { limit: 100 });
    expect(page).toMatchObject({ bookings: { length: 5 }, hasMore: true });
    // Nothing, then at once the five bookings that fit, and the sixth, which shows that the page is full.
    const results = await Promise.all(run.mock.results.map(({ value }) => value as Promise<QueryResult>));
    const lengths = results.map(({ rows }) => Math.floor(JSON.stringify(rows).length / LARGE.note.length));
    expect(lengths).toEqual([0, 6]);
  });

  it('shows what follows a large booking that is deleted meanwhile', async () => {
    const bookings = await create();
    const oldest = aBooking({ createdAt: 0 });
    const deleted = aBooking({ details: { note: 'x'.repeat(600_000) } });
    const newest = aBooking();
    for (const booking of [oldest, deleted, newest]) await bookings.create(booking);
    const read = postgres.database.read.bind(postgres.database);
    jest.spyOn(postgres.database, 'read').mockImplementationOnce(async (...given) => {
      const result = await read(...given);
      await postgres.query('DELETE FROM bookings WHERE booking_id = $1', [deleted.bookingId]);
      return result;
    });
    expect(await bookings.list({}, { limit: 1 })).toMatchObject({ bookings: [newest], hasMore: true });
  });
});
