import { setImmediate } from 'node:timers/promises';
import type { Client } from 'pg';
import { createTestDatabase } from 'testing';
import { StoreUnavailable } from '../../src/bookings/domain/booking.errors.js';
import { type Booking, isBookingId } from '../../src/bookings/domain/booking.js';
import { CreateGroups } from '../../src/bookings/postgres/create-groups.js';
import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import { DatabaseUnavailable } from '../../src/platform/database/postgres-errors.js';
import type { Statement } from '../../src/platform/database/statement.js';
import { alterDatabase } from '../support/alter-database.js';
import { openDatabase, useDatabase } from '../support/open-database.js';
import { aBooking } from './arbitrary-bookings.js';

/** Statements under way at once, at most. */
const AT_ONCE = 2;

const keyed = (key: string, fingerprint = 'payload') => ({ key, fingerprint });
const bookings = (count: number, details = {}): Booking[] => Array.from({ length: count }, () => aBooking({ details }));

/** A database that keeps every row of a statement once it is let through. */
class HeldStatements {
  connectTimeout = 10_000;
  readonly lockTimeout = 1_000;
  readonly maxLongWrites = AT_ONCE;
  fault: Error | undefined;
  /** Numbers of rows of the statements that have begun. */
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

  /** Ends the oldest statement, so that the next may begin. */
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
  let groups: CreateGroups;
  beforeEach(() => {
    held = new HeldStatements();
    groups = new CreateGroups(held as never);
  });

  const insert = (wished: Booking[]) => wished.map((booking) => groups.insert(booking, undefined));

  it('begin alone, then wait until they are as many as the group under way', async () => {
    const inserted = insert(bookings(12));
    expect(held.sizes).toEqual([1, 1]);
    await held.letThrough();
    expect(held.sizes).toEqual([1, 1, 6]);
    await held.letThrough();
    inserted.push(...insert(bookings(1)));
    expect(held.sizes).toEqual([1, 1, 6]);
    inserted.push(...insert(bookings(1)));
    expect(held.sizes).toEqual([1, 1, 6, 6]);
    await held.letAllThrough();
    expect(await Promise.all(inserted)).toHaveLength(14);
  });

  it.each([
    ['in even shares', bookings(40), 20],
    ['at most 64', bookings(400), 64],
    ['with at most about 1 MiB', bookings(20, { note: 'x'.repeat(200_000) }), 5],
  ])('that wait go together, %s', async (_, wished, most) => {
    const inserted = insert(wished);
    await held.letAllThrough();
    expect(await Promise.all(inserted)).toHaveLength(wished.length);
    expect(Math.max(...held.sizes)).toBe(most);
  });

  it('are rejected while 4 MiB of others wait', async () => {
    const insertLarge = (count: number) => insert(bookings(count, { note: 'x'.repeat(1_000_000) }));
    const inserted = insertLarge(AT_ONCE + 4);
    await expect(insertLarge(1)[0]).rejects.toThrow(new DatabaseUnavailable('Too many creates wait for the database.'));
    await held.letThrough();
    inserted.push(...insertLarge(1));
    await held.letAllThrough();
    expect(await Promise.all(inserted)).toHaveLength(AT_ONCE + 5);
  });

  it.each([
    ['a bug', new TypeError('must be of type string')],
    ['a lost response', new DatabaseUnavailable('The response is lost.')],
  ])('whose statement ends with %s are not sent again, and later ones go on', async (_, fault) => {
    const first = insert(bookings(AT_ONCE));
    held.fault = fault;
    const rejected = insert(bookings(8)).map((inserting) => expect(inserting).rejects.toBe(fault));
    await held.letAllThrough();
    await Promise.all([...first, ...rejected]);
    expect(held.sizes.reduce((sum, size) => sum + size)).toBe(AT_ONCE + 8);
    held.fault = undefined;
    const later = insert(bookings(1));
    await held.letAllThrough();
    expect(await Promise.all(later)).toEqual(['kept']);
  });

  it('are rejected unsent after too long a wait', async () => {
    held.connectTimeout = 0;
    const waiting = insert(bookings(AT_ONCE + 2)).slice(AT_ONCE);
    const rejected = waiting.map((inserting) => expect(inserting).rejects.toThrow(DatabaseUnavailable));
    await held.letAllThrough();
    await Promise.all(rejected);
    expect(held.sizes).toEqual([1, 1]);
  });

  it('are counted while they wait', async () => {
    const repository = new PostgresBookingsRepository(held as never);
    const creates = bookings(AT_ONCE + 9).map((booking) => repository.create(booking));
    expect(repository.queuedCreates).toBe(9);
    await held.letAllThrough();
    await Promise.all(creates);
    expect(repository.queuedCreates).toBe(0);
  });
});

describe('A group of creates', () => {
  const postgres = useDatabase();
  let repository: PostgresBookingsRepository;
  let operator: Client;

  beforeAll(async () => {
    repository = new PostgresBookingsRepository(postgres.database);
    operator = await postgres.connect();
  });
  beforeEach(() => postgres.query('TRUNCATE bookings'));

  type Create = [booking: Booking, idempotent?: ReturnType<typeof keyed>];
  const create = ([booking, idempotent]: Create) => repository.create(booking, idempotent);

  /** Sends all of them in one statement. */
  async function together(...creates: Create[]) {
    await operator.query('BEGIN; LOCK TABLE bookings IN SHARE MODE');
    const first = bookings(AT_ONCE).map((booking) => create([booking]));
    const outcomes = Promise.allSettled(creates.map(create));
    // With these, the wanted creates are one share of those that wait.
    const last = bookings(AT_ONCE * creates.length).map((booking) => create([booking]));
    await operator.query('COMMIT');
    await Promise.all([...first, ...last]);
    return outcomes;
  }

  const created = { status: 'fulfilled', value: { kind: 'created' } };

  it('rejects only creates that conflict, also with each other', async () => {
    const known = aBooking();
    await create([aBooking({ resource: 'room', start: 9, end: 11 })]);
    await create([known, keyed('known')]);
    const twice = aBooking({ resource: 'hall', start: 3, end: 4 });
    const outcomes = await together(
      [aBooking({ resource: 'room', start: 10, end: 12 })],
      [aBooking({ resource: 'room', start: 11, end: 12 })],
      [aBooking(), keyed('known')],
      [aBooking(), keyed('known', 'another payload')],
      [twice, keyed('new')],
      [aBooking({ resource: 'hall', start: 5, end: 6 }), keyed('new')],
      [aBooking({ resource: 'hall', start: 3.5, end: 5 })],
      [aBooking()],
    );
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

  it('is sent row by row after an error of one row', async () => {
    await postgres.query(`ALTER TABLE bookings ADD CONSTRAINT poison CHECK (json NOT LIKE '%poison%')`);
    const outcomes = await together([aBooking()], [aBooking({ details: { note: 'poison' } })], [aBooking()]);
    await postgres.query('ALTER TABLE bookings DROP CONSTRAINT poison');
    expect(outcomes).toMatchObject([created, { status: 'rejected', reason: { code: '23514' } }, created]);
  });

  it('is sent row by row after another transaction has locked a slot or a key for too long', async () => {
    const locked: Create[] = [[aBooking({ resource: 'locked' })], [aBooking(), keyed('locked')]];
    await Promise.all(locked.map(create));
    await operator.query('BEGIN; DELETE FROM bookings');
    // The first two go alone, the others as a group after one of the two has timed out.
    const creates = ['locked', 'locked', 'free', 'locked', 'other'].map((resource): Create => [aBooking({ resource })]);
    const outcomes = await Promise.allSettled([...creates, locked[1]!, [aBooking()] satisfies Create].map(create));
    await operator.query('ROLLBACK');
    const unavailable = { status: 'rejected', reason: expect.any(StoreUnavailable) as unknown };
    expect(outcomes).toMatchObject([unavailable, unavailable, created, unavailable, created, unavailable, created]);
  });
});

it('Groups of several replicas never deadlock, whatever slots and keys they hold', async () => {
  const database = await createTestDatabase();
  // Short, so that every deadlock is detected and counted.
  await alterDatabase(database, [`deadlock_timeout = '10ms'`]);
  const patient = { DATABASE_CONNECT_TIMEOUT_MS: '60000', DATABASE_STATEMENT_TIMEOUT_MS: '60000' };
  const replicas = await Promise.all([1, 2, 3].map(() => openDatabase(database.url, patient)));
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
  for (const replica of replicas) replica.close();
  // Sessions report their deadlocks when they end.
  await alterDatabase(database, []);
  const count = 'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()';
  expect(await database.query(count)).toEqual([{ deadlocks: 0 }]);
  await database.drop();
});
