import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Client, type QueryResult, type QueryResultRow } from 'pg';
import { Registry } from 'prom-client';
import { createTestDatabase, type TestDatabase, until } from 'testing';
import { StoreUnavailable } from '../../src/bookings/domain/booking.errors.js';
import { type Booking, isBookingId } from '../../src/bookings/domain/booking.js';
import { CreateGroups } from '../../src/bookings/postgres/create-groups.js';
import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import type { Database } from '../../src/platform/database/database.js';
import { DatabaseUnavailable } from '../../src/platform/database/postgres-errors.js';
import type { Statement } from '../../src/platform/database/statement.js';
import { openDatabase } from '../support/open-database.js';
import { aBooking } from './arbitrary-bookings.js';

const TIMES = { acquireTimeout: 10_000, lockTimeout: 1_000 };
/** Statements that may be under way. */
const AT_ONCE = 2;

const keyed = (key: string, fingerprint = 'payload') => ({ key, fingerprint });
const bookings = (count: number, details = {}): Booking[] => Array.from({ length: count }, () => aBooking({ details }));

/** A database that keeps every row, once a statement is let through. */
class HeldStatements {
  acquireTimeout = TIMES.acquireTimeout;
  readonly lockTimeout = TIMES.lockTimeout;
  readonly writers = AT_ONCE;
  /** What each statement that begins fails with. */
  fault: Error | undefined;
  /** Rows of the statements that were begun. */
  readonly sizes: number[] = [];
  private readonly held: (() => void)[] = [];

  async write(_: Statement, values: unknown[] = []): Promise<never> {
    const ids = values.flat().filter((value) => isBookingId(String(value)));
    const rows = ids.map((booking_id) => ({ booking_id, is_kept: true }));
    this.sizes.push(rows.length);
    if (this.fault !== undefined) throw this.fault;
    await new Promise<void>((resolve) => this.held.push(resolve));
    return { rows } as never;
  }

  /** Ends the oldest statement, and has what follows it begin. */
  async letThrough(): Promise<void> {
    this.held.shift()!();
    await setImmediate();
  }

  async letAllThrough(): Promise<void> {
    while (this.held.length > 0) await this.letThrough();
  }
}

describe('Creates', () => {
  let held: HeldStatements;
  beforeEach(() => void (held = new HeldStatements()));

  const insert = (wished: Booking[]) => {
    const groups = new CreateGroups(held as never);
    return wished.map((booking) => groups.insert(booking, undefined));
  };

  it('go alone while fewer than two statements are under way, and then wait for as many as the other one has', async () => {
    const groups = new CreateGroups(held as never);
    const insertMore = (count: number) => bookings(count).map((booking) => groups.insert(booking, undefined));
    const inserted = insertMore(12);
    expect(held.sizes).toEqual([1, 1]);
    await held.letThrough();
    expect(held.sizes).toEqual([1, 1, 6]);
    await held.letThrough();
    inserted.push(...insertMore(1));
    expect(held.sizes).toEqual([1, 1, 6]);
    inserted.push(...insertMore(1));
    expect(held.sizes).toEqual([1, 1, 6, 6]);
    await held.letAllThrough();
    expect(await Promise.all(inserted)).toHaveLength(14);
  });

  it.each([
    ['in even shares', bookings(40), 20],
    ['by 64 at most', bookings(400), 64],
    ['with about 1 MiB at most', bookings(20, { note: 'x'.repeat(200_000) }), 5],
  ])('that wait go together, %s', async (_, wished, most) => {
    const inserted = insert(wished);
    await held.letAllThrough();
    expect(await Promise.all(inserted)).toHaveLength(wished.length);
    expect(Math.max(...held.sizes)).toBe(most);
  });

  it('that are 4 MiB and wait let no other wait, until some of them go', async () => {
    const groups = new CreateGroups(held as never);
    const insertLarge = (count: number) =>
      bookings(count, { note: 'x'.repeat(1_000_000) }).map((booking) => groups.insert(booking, undefined));
    const inserted = insertLarge(AT_ONCE + 4);
    await expect(insertLarge(1)[0]).rejects.toThrow(new DatabaseUnavailable('Too many creates wait for the database.'));
    await held.letThrough();
    inserted.push(...insertLarge(1));
    await held.letAllThrough();
    expect(await Promise.all(inserted)).toHaveLength(AT_ONCE + 5);
  });

  it.each([
    ['before a statement is sent', undefined, {}],
    ['of the driver', new TypeError('must be of type string'), 'key'],
  ])('that fail with a bug %s are not sent again, and later ones go on', async (_, fault, key) => {
    const groups = new CreateGroups(held as never);
    const first = bookings(AT_ONCE).map((booking) => groups.insert(booking, undefined));
    held.fault = fault;
    const inserted = Promise.allSettled(bookings(8).map((booking) => groups.insert(booking, keyed(key as string))));
    await held.letAllThrough();
    await Promise.all(first);
    const message = expect.stringContaining('must be of type string') as string;
    expect(await inserted).toContainEqual({
      status: 'rejected',
      reason: expect.objectContaining({ message }) as Error,
    });
    expect(held.sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(AT_ONCE + 8);
    held.fault = undefined;
    const later = groups.insert(aBooking(), undefined);
    await held.letAllThrough();
    expect(await later).toBe('kept');
  });

  it('that have waited too long when a statement ends are rejected, and no statement has them', async () => {
    held.acquireTimeout = 0;
    const waiting = insert(bookings(AT_ONCE + 2)).slice(AT_ONCE);
    const rejected = waiting.map((inserting) => expect(inserting).rejects.toThrow(DatabaseUnavailable));
    await held.letAllThrough();
    await Promise.all(rejected);
    expect(held.sizes).toEqual([1, 1]);
  });
});

describe('A group of creates', () => {
  let testDatabase: TestDatabase;
  let database: Database;
  let repository: PostgresBookingsRepository;
  let operator: Client;

  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    database = await openDatabase(testDatabase.url);
    repository = new PostgresBookingsRepository(database);
    operator = new Client({ connectionString: testDatabase.url });
    await operator.connect();
  });
  beforeEach(() => testDatabase.query('TRUNCATE bookings'));
  afterAll(async () => {
    await operator.end();
    await database.close();
    await testDatabase.drop();
  });

  /** Has all of them be one statement, after two that are held up. */
  async function together(creates: (() => Promise<unknown>)[]) {
    await operator.query('BEGIN; LOCK TABLE bookings IN SHARE MODE');
    const first = bookings(AT_ONCE).map((booking) => repository.create(booking));
    const outcomes = Promise.allSettled(creates.map((create) => create()));
    // Further creates, so that the wanted ones are no more than one share of what waits.
    const last = bookings(AT_ONCE * creates.length).map((booking) => repository.create(booking));
    await operator.query('COMMIT');
    await Promise.all([...first, ...last]);
    return outcomes;
  }

  it('loses only those of its creates that conflict, also with each other', async () => {
    const held = aBooking({ resource: 'room', start: 9, end: 11 });
    const known = aBooking();
    await repository.create(held);
    await repository.create(known, keyed('known'));
    const free = aBooking({ resource: 'room', start: 11, end: 12 });
    const twice = aBooking({ resource: 'hall', start: 3, end: 4 });
    const outcomes = await together([
      () => repository.create(aBooking({ resource: 'room', start: 10, end: 12 })),
      () => repository.create(free),
      () => repository.create(aBooking(), keyed('known')),
      () => repository.create(aBooking(), keyed('known', 'another payload')),
      () => repository.create(twice, keyed('new')),
      () => repository.create(aBooking({ resource: 'hall', start: 5, end: 6 }), keyed('new')),
      () => repository.create(aBooking({ resource: 'hall', start: 3.5, end: 5 })),
      () => repository.create(aBooking()),
    ]);
    expect(outcomes.map((outcome) => outcome.status === 'fulfilled' && outcome.value)).toMatchObject([
      { kind: 'slot_taken' },
      { kind: 'created' },
      { kind: 'replayed', booking: known },
      { kind: 'key_reused' },
      { kind: 'created' },
      { kind: 'replayed', booking: twice },
      { kind: 'slot_taken' },
      { kind: 'created' },
    ]);
  });

  it('is counted while it waits for others', async () => {
    const registry = new Registry();
    const counted = new PostgresBookingsRepository(database, registry);
    const queued = async () => (await registry.getMetricsAsJSON())[0]?.values[0]?.value;
    await operator.query('BEGIN; LOCK TABLE bookings IN SHARE MODE');
    const creates = bookings(AT_ONCE + 9).map((booking) => counted.create(booking));
    await until(async () => (await queued()) === 9);
    await operator.query('COMMIT');
    await Promise.all(creates);
    expect(await queued()).toBe(0);
  });

  it('goes one by one where a row of it makes it fail', async () => {
    await testDatabase.query(`ALTER TABLE bookings ADD CONSTRAINT poison CHECK (json NOT LIKE '%poison%')`);
    const outcomes = await together([
      () => repository.create(aBooking()),
      () => repository.create(aBooking({ details: { note: 'poison' } })),
      () => repository.create(aBooking(), keyed('after it')),
    ]);
    await testDatabase.query('ALTER TABLE bookings DROP CONSTRAINT poison');
    expect(outcomes).toMatchObject([
      { status: 'fulfilled', value: { kind: 'created' } },
      { status: 'rejected', reason: { code: '23514' } },
      { status: 'fulfilled', value: { kind: 'created' } },
    ]);
  });

  it('goes one by one where another transaction has locked a slot or a key of it', async () => {
    const locked = aBooking({ resource: 'locked' });
    const other = aBooking();
    await repository.create(locked);
    await repository.create(other, keyed('locked'));
    const locking = new Client({ connectionString: testDatabase.url });
    await locking.connect();
    await locking.query('BEGIN');
    await locking.query('DELETE FROM bookings WHERE booking_id = ANY($1)', [[locked.bookingId, other.bookingId]]);
    // The first two go alone, and the others are a group after one of them has given up.
    const wanted = ['locked', 'locked', 'free', 'locked', 'other'].map((resource) => aBooking({ resource }));
    const creates = wanted.map((booking) => repository.create(booking));
    creates.push(repository.create(aBooking(), keyed('locked')), repository.create(aBooking()));
    const outcomes = await Promise.allSettled(creates);
    await locking.end();
    const unavailable = { status: 'rejected', reason: expect.any(StoreUnavailable) as unknown };
    const created = { status: 'fulfilled', value: { kind: 'created' } };
    expect(outcomes).toMatchObject([unavailable, unavailable, created, unavailable, created, unavailable, created]);
  });

  it('is open as a whole where its outcome is lost, and each key finds the truth', async () => {
    /** Loses each response to a statement with keys. */
    const lossy = {
      ...TIMES,
      writers: AT_ONCE,
      write: async <Row extends QueryResultRow>(...sent: [Statement, unknown[]?]): Promise<QueryResult<Row>> => {
        const result = await database.write<Row>(...sent);
        if (/lost \d/.test(String(sent[1]))) throw new DatabaseUnavailable('The response is lost.');
        return result;
      },
    };
    const groups = new CreateGroups(lossy);
    for (const booking of bookings(AT_ONCE)) void groups.insert(booking, undefined);
    const wished = Array.from({ length: 8 }, (_, index) => aBooking({ resource: `r${index}` }));
    const inserted = wished.map((booking, index) => groups.insert(booking, keyed(`lost ${index}`)));
    for (const outcome of inserted) await expect(outcome).rejects.toThrow(DatabaseUnavailable);
    for (const [index, booking] of wished.entries()) {
      const again = { ...booking, bookingId: aBooking().bookingId };
      expect(await repository.create(again, keyed(`lost ${index}`))).toEqual({ kind: 'replayed', booking });
    }
  });

  it('blocks no other group, whatever slots and keys they hold', async () => {
    // A short timeout, so that every deadlock is detected and counted.
    await testDatabase.query(
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = ''10ms''', current_database()); END $$`,
    );
    // So many creates at once may be slow on a busy machine.
    const patient = { DATABASE_CONNECT_TIMEOUT_MS: '60000', DATABASE_STATEMENT_TIMEOUT_MS: '60000' };
    const replicas = await Promise.all([1, 2, 3].map(() => openDatabase(testDatabase.url, patient)));
    const writers = replicas.map((replica) => new PostgresBookingsRepository(replica));
    let seed = 1;
    const below = (limit: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % limit;
    };
    const write = (writer: PostgresBookingsRepository, era: number): Promise<unknown> => {
      const start = below(24);
      const slot = { resource: `room ${era}.${below(20)}`, start, end: start + 1 + below(3) };
      const hasKey = era % 2 === 1 && below(2) === 0;
      return writer.create(aBooking(slot), hasKey ? keyed(`key ${era}.${below(40)}`, String(below(3))) : undefined);
    };
    for (let era = 0; era < 6; era++) {
      await Promise.all(writers.flatMap((writer) => Array.from({ length: 150 }, () => write(writer, era))));
    }
    await Promise.all(replicas.map((replica) => replica.close()));
    // Until their sessions have reported it.
    await sleep(100);
    const count = 'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()';
    expect(await testDatabase.query(count)).toEqual([{ deadlocks: 0 }]);
  });
});
