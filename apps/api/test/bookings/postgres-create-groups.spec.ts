import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Client, type QueryResult, type QueryResultRow } from 'pg';
import { Registry } from 'prom-client';
import { createTestDatabase, type TestDatabase } from 'testing';
import { Database } from '../../src/database/database.js';
import { DatabaseUnavailable } from '../../src/database/postgres-errors.js';
import type { Statement } from '../../src/database/statement.js';
import { StoreUnavailable } from '../../src/bookings/booking.errors.js';
import type { Booking } from '../../src/bookings/booking.js';
import { CreateGroups, type Inserted } from '../../src/bookings/postgres/create-groups.js';
import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import { openDatabase } from '../support/open-database.js';
import { until } from '../support/until.js';
import { aBooking } from './arbitrary-bookings.js';

const TIMES = { acquireTimeout: 10_000, lockTimeout: 1_000 };
/** Statements that may be under way. */
const AT_ONCE = 2;

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await openDatabase(testDatabase.url);
});
beforeEach(() => testDatabase.query('TRUNCATE bookings'));
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

/** The real database, whose statements wait until they are let through. */
class HeldDatabase {
  /** Rows of the statements that were begun. */
  readonly sizes: number[] = [];
  acquireTimeout = TIMES.acquireTimeout;
  readonly lockTimeout = TIMES.lockTimeout;
  private readonly held: (() => void)[] = [];

  constructor(
    private readonly real: Database,
    readonly writers: number,
  ) {}

  async write<Row extends QueryResultRow>(statement: Statement, values: unknown[] = []): Promise<QueryResult<Row>> {
    this.sizes.push(Array.isArray(values[0]) ? values[0].length : 1);
    await new Promise<void>((resolve) => this.held.push(resolve));
    return this.real.write<Row>(statement, values);
  }

  letThrough(statements: number): void {
    for (const resolve of this.held.splice(0, statements)) resolve();
  }
}

const keyed = (key: string, fingerprint = 'payload') => ({ key, fingerprint });
const bookings = (count: number): Booking[] => Array.from({ length: count }, () => aBooking());

/** Begins the inserts after as many statements as begin at once. */
function insertBehind(held: HeldDatabase, groups: CreateGroups, wished: readonly Booking[]): Promise<Inserted>[] {
  const first = bookings(AT_ONCE).map((booking) => groups.insert(booking, undefined));
  const inserted = wished.map((booking) => groups.insert(booking, undefined));
  expect(held.sizes).toEqual([1, 1]);
  return [...first, ...inserted];
}

describe('Creates', () => {
  let held: HeldDatabase;
  let groups: CreateGroups;
  beforeEach(() => {
    held = new HeldDatabase(database, AT_ONCE);
    groups = new CreateGroups(held);
  });

  /** @returns which of them are kept */
  const drain = async (inserted: Promise<Inserted>[]): Promise<boolean[]> => {
    const letting = setInterval(() => held.letThrough(1), 1);
    try {
      return (await Promise.all(inserted)).map(({ isKept }) => isKept);
    } finally {
      clearInterval(letting);
    }
  };

  it('go alone and at once while fewer than two statements are under way', async () => {
    const inserted = insertBehind(held, groups, []);
    expect(await drain(inserted)).toEqual([true, true]);
  });

  it('wait for as many as the other statement has, before a second one begins', async () => {
    const sizes: number[] = [];
    const held: (() => void)[] = [];
    const write = async (_: Statement, [ids]: unknown[] = []): Promise<never> => {
      const rows = [ids].flat().map((booking_id) => ({ booking_id, is_kept: true }));
      sizes.push(rows.length);
      await new Promise<void>((resolve) => held.push(resolve));
      return { rows } as never;
    };
    groups = new CreateGroups({ ...TIMES, writers: AT_ONCE, write });
    const insert = (count: number) => bookings(count).map((booking) => groups.insert(booking, undefined));
    const inserted = insert(12);
    expect(sizes).toEqual([1, 1]);
    held[0]!();
    await setImmediate();
    expect(sizes).toEqual([1, 1, 6]);
    held[1]!();
    await setImmediate();
    inserted.push(...insert(1));
    expect(sizes).toEqual([1, 1, 6]);
    inserted.push(...insert(1));
    expect(sizes).toEqual([1, 1, 6, 6]);
    for (const resolve of held) resolve();
    expect(await Promise.all(inserted)).toHaveLength(14);
  });

  it('that wait go together, in even shares', async () => {
    const kept = await drain(insertBehind(held, groups, bookings(38)));
    expect(kept).toEqual(Array.from({ length: 40 }, () => true));
    expect(held.sizes.slice(0, 3)).toEqual([1, 1, 20]);
    expect(Math.max(...held.sizes)).toBe(20);
    expect(await testDatabase.query('SELECT FROM bookings')).toHaveLength(40);
  });

  it('go together by 64 at most', async () => {
    await drain(insertBehind(held, groups, bookings(400)));
    expect(Math.max(...held.sizes)).toBe(64);
  });

  it('go together with about 1 MiB at most', async () => {
    const large = Array.from({ length: 40 }, () => aBooking({ details: { note: 'x'.repeat(200_000) } }));
    await drain(insertBehind(held, groups, large));
    expect(Math.max(...held.sizes)).toBe(5);
  });

  it('keep every text as it is', async () => {
    const notes = ['\n', '\\', '"', '{}', ',', 'NULL', "'", '\u2028', '\u0001', '😀'];
    const wished = notes.map((note, index) => aBooking({ resource: `"\\,{${index}}`, details: { note } }));
    const inserted = insertBehind(held, groups, wished);
    expect(await drain(inserted)).not.toContain(false);
    const repository = new PostgresBookingsRepository(database);
    for (const booking of wished) expect(await repository.find(booking.bookingId)).toEqual(booking);
  });

  it('that have waited too long when a statement ends are rejected, and nothing of them runs', async () => {
    held.acquireTimeout = 100;
    const waiting = insertBehind(held, groups, bookings(2)).slice(AT_ONCE);
    const rejected = Promise.all(waiting.map((insert) => expect(insert).rejects.toThrow(DatabaseUnavailable)));
    await sleep(150);
    held.letThrough(AT_ONCE);
    await rejected;
    await until(async () => (await testDatabase.query('SELECT FROM bookings')).length === AT_ONCE);
    expect(held.sizes).toHaveLength(AT_ONCE);
  });
});

describe('A group of creates', () => {
  /** Has all of them be one statement, after two that are held up. */
  async function together(repository: PostgresBookingsRepository, creates: (() => Promise<unknown>)[]) {
    const client = new Client({ connectionString: testDatabase.url });
    await client.connect();
    await client.query('BEGIN; LOCK TABLE bookings IN SHARE MODE');
    const first = bookings(AT_ONCE).map((booking) => repository.create(booking));
    const outcomes = Promise.allSettled(creates.map((create) => create()));
    // Those after them, so that they are no more than one share of what waits.
    const last = bookings(AT_ONCE * creates.length).map((booking) => repository.create(booking));
    await client.query('COMMIT');
    await client.end();
    await Promise.all([...first, ...last]);
    return outcomes;
  }

  it('loses only those of its creates that conflict, also with each other', async () => {
    const repository = new PostgresBookingsRepository(database);
    const held = aBooking({ resource: 'room', start: 9, end: 11 });
    const known = aBooking();
    await repository.create(held);
    await repository.create(known, keyed('known'));
    const free = aBooking({ resource: 'room', start: 11, end: 12 });
    const twice = aBooking({ resource: 'hall', start: 3, end: 4 });
    const outcomes = await together(repository, [
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
    const repository = new PostgresBookingsRepository(database, registry);
    const queued = async (): Promise<number | undefined> => {
      const [metric] = await registry.getMetricsAsJSON();
      return metric?.values[0]?.value;
    };
    const client = new Client({ connectionString: testDatabase.url });
    await client.connect();
    await client.query('BEGIN; LOCK TABLE bookings IN SHARE MODE');
    const creates: Promise<unknown>[] = [];
    // Each is a statement of its own.
    for (const booking of bookings(AT_ONCE)) {
      creates.push(repository.create(booking));
      await until(async () => (await queued()) === 0);
    }
    creates.push(...bookings(9).map((booking) => repository.create(booking)));
    expect(await queued()).toBe(9);
    await client.query('COMMIT');
    await client.end();
    await Promise.all(creates);
    expect(await queued()).toBe(0);
  });

  it('goes one by one where a row of it makes it fail', async () => {
    const repository = new PostgresBookingsRepository(database);
    await testDatabase.query(`ALTER TABLE bookings ADD CONSTRAINT poison CHECK (json NOT LIKE '%poison%')`);
    try {
      const outcomes = await together(repository, [
        () => repository.create(aBooking()),
        () => repository.create(aBooking({ details: { note: 'poison' } })),
        () => repository.create(aBooking(), keyed('after it')),
      ]);
      expect(outcomes).toMatchObject([
        { status: 'fulfilled', value: { kind: 'created' } },
        { status: 'rejected', reason: { code: '23514' } },
        { status: 'fulfilled', value: { kind: 'created' } },
      ]);
    } finally {
      await testDatabase.query('ALTER TABLE bookings DROP CONSTRAINT poison');
    }
  });

  it('goes row by row where another transaction has locked a slot or a key, and delays no other create', async () => {
    const replica = await openDatabase(testDatabase.url);
    const repository = new PostgresBookingsRepository(replica);
    const locked = aBooking({ resource: 'locked', start: 9, end: 10 });
    const other = aBooking();
    await repository.create(locked);
    await repository.create(other, keyed('locked'));
    const operator = new Client({ connectionString: testDatabase.url });
    await operator.connect();
    await operator.query('BEGIN');
    await operator.query('DELETE FROM bookings WHERE booking_id = ANY($1)', [[locked.bookingId, other.bookingId]]);
    const end = performance.now() + 1_500;
    const times: number[] = [];
    const failed: unknown[] = [];
    const writeFree = async (writer: number): Promise<void> => {
      for (let number = 0; performance.now() < end; number++) {
        const begun = performance.now();
        const slot = { resource: `free ${writer}`, start: number, end: number + 1 };
        await repository.create(aBooking(slot), keyed(`free ${writer}.${number}`)).catch((error) => failed.push(error));
        times.push(performance.now() - begun);
      }
    };
    const wantLocked = async (writer: number): Promise<void> => {
      while (performance.now() < end) {
        const [slot, idempotent] =
          writer % 2 === 0 ? [{ resource: 'locked', start: 9, end: 10 }, undefined] : [{}, keyed('locked')];
        await expect(repository.create(aBooking(slot), idempotent)).rejects.toThrow(StoreUnavailable);
      }
    };
    const writing = Array.from({ length: 32 }, (_, writer) => writeFree(writer));
    await Promise.all([...writing, ...[0, 1, 2, 3].map(wantLocked)]);
    await operator.query('ROLLBACK');
    await operator.end();
    await replica.close();
    times.sort((one, another) => one - another);
    expect(failed).toEqual([]);
    expect(times[Math.floor(times.length * 0.99)]).toBeLessThan(1_000);
  });

  it('is open as a whole where its outcome is lost, and each key finds the truth', async () => {
    const sent = new Set<unknown>();
    const lossy = {
      ...TIMES,
      writers: AT_ONCE,
      write: async <Row extends QueryResultRow>(statement: Statement, values: unknown[] = []) => {
        const result = await database.write<Row>(statement, values);
        // Each booking's first, also where the last group is one alone; not of those without a key, which only go before.
        const isFirst = [values[0]].flat().some((bookingId) => !sent.has(bookingId));
        for (const bookingId of [values[0]].flat()) sent.add(bookingId);
        if (isFirst && values[5] !== undefined) throw new DatabaseUnavailable('The response is lost.');
        return result;
      },
    };
    const groups = new CreateGroups(lossy);
    for (const booking of bookings(AT_ONCE)) void groups.insert(booking, undefined);
    const wished = Array.from({ length: 8 }, (_, index) => aBooking({ resource: `r${index}` }));
    const inserted = wished.map((booking, index) => groups.insert(booking, keyed(`lost ${index}`)));
    for (const outcome of inserted) await expect(outcome).rejects.toThrow(DatabaseUnavailable);
    const repository = new PostgresBookingsRepository(database);
    for (const [index, booking] of wished.entries()) {
      const again = { ...booking, bookingId: aBooking().bookingId };
      expect(await repository.create(again, keyed(`lost ${index}`))).toEqual({ kind: 'replayed', booking });
    }
  });

  it('blocks no other group, whatever slots and keys they hold', async () => {
    const [row] = await testDatabase.query<{ name: string }>('SELECT current_database() AS name');
    // A short timeout, so that every deadlock is detected and counted.
    await testDatabase.query(`ALTER DATABASE ${row!.name} SET deadlock_timeout = '10ms'`);
    // 600 creates at once may be slow on a busy machine.
    const patient = { DATABASE_CONNECT_TIMEOUT_MS: '60000', DATABASE_STATEMENT_TIMEOUT_MS: '60000' };
    const replicas = await Promise.all([1, 2, 3].map(() => openDatabase(testDatabase.url, patient)));
    let seed = 1;
    const below = (limit: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % limit;
    };
    const failed: unknown[] = [];
    const write = async (repository: PostgresBookingsRepository, era: number): Promise<void> => {
      const start = below(24);
      const slot = { resource: `room ${era}.${below(20)}`, start, end: start + 1 + below(3) };
      const idempotent =
        era % 2 === 1 && below(2) === 0 ? keyed(`key ${era}.${below(40)}`, String(below(3))) : undefined;
      await repository.create(aBooking(slot), idempotent).catch((error: unknown) => failed.push(error));
    };
    for (let era = 0; era < 8; era++) {
      const writers = replicas.map((replica) => new PostgresBookingsRepository(replica));
      await Promise.all(writers.flatMap((writer) => Array.from({ length: 200 }, () => write(writer, era))));
    }
    await Promise.all(replicas.map((replica) => replica.close()));
    await sleep(100);
    const [{ deadlocks } = {}] = await testDatabase.query<{ deadlocks: string }>(
      'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
    );
    expect({ failed, deadlocks }).toEqual({ failed: [], deadlocks: '0' });
  });
});
