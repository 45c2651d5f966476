import { createTestDatabase, type TestDatabase } from 'testing';
import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import { readConfig } from '../../src/config/config.js';
import { Database } from '../../src/database/database.js';
import { EventStore } from '../../src/events/event-store.js';
import { aBooking } from '../bookings/arbitrary-bookings.js';
import { expectToBehaveLikeModel } from '../bookings/bookings-repository.model.js';
import { StoreUnavailable } from '../../src/bookings/booking.errors.js';
import { migrate } from '../../src/database/schema.js';
import { alterDatabase } from '../support/alter-database.js';
import { onServer } from '../support/pooled.js';

/** What a database or a role may have set, with an effect on values, texts or transactions. */
const SETTINGS = [
  ['array_nulls = off'],
  [`default_transaction_isolation = 'repeatable read'`],
  ['default_transaction_isolation = serializable'],
  [
    'backslash_quote = off',
    'bytea_output = escape',
    'client_encoding = LATIN1',
    `DateStyle = 'German'`,
    'default_transaction_deferrable = on',
    'enable_indexscan = off',
    'exit_on_error = on',
    'extra_float_digits = -15',
    'IntervalStyle = sql_standard',
    'plan_cache_mode = force_custom_plan',
    'quote_all_identifiers = on',
    'row_security = off',
    'standard_conforming_strings = off',
    `TimeZone = 'Pacific/Kiritimati'`,
    'transform_null_equals = on',
  ],
].map((settings) => ({ settings }));
const OWNER = '5f0e6f3a-4d5c-4b6e-8f9a-1b2c3d4e5f60';

let testDatabase: TestDatabase;
let database: Database;

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  database = new Database(readConfig({ DATABASE_URL: testDatabase.url }).database!);
});
afterEach(async () => {
  await database.close();
  await testDatabase.drop();
});

it('On a database that an operator has made read-only, creates are unavailable and gets go on', async () => {
  await migrate(readConfig({ DATABASE_URL: onServer(testDatabase.url) }).database!);
  await alterDatabase(testDatabase, ['default_transaction_read_only = on']);
  await database.prepare();
  const bookings = new PostgresBookingsRepository(database);
  await expect(bookings.create(aBooking())).rejects.toThrow(StoreUnavailable);
  await expect(bookings.find(aBooking().bookingId)).resolves.toBeUndefined();
});

describe.each(SETTINGS)('On a database with $settings', ({ settings }) => {
  beforeEach(async () => {
    await alterDatabase(testDatabase, settings);
    await database.prepare();
  });

  const empty = async (): Promise<PostgresBookingsRepository> => {
    await testDatabase.query('TRUNCATE bookings');
    return new PostgresBookingsRepository(database);
  };

  it('creates, gets and lists have the same results', async () => {
    await expectToBehaveLikeModel(empty, 5);
    const bookings = await empty();
    // Each kind at once, so that groups have no other.
    for (const [kind, slot, hasKey] of [
      ['slots and keys', true, true],
      ['slots', true, false],
      ['keys', false, true],
      ['neither', false, false],
    ] as const) {
      const wishes = Array.from({ length: 20 }, (_, index) => {
        const resource = `room \\ ${kind} ${index}`;
        const booking = aBooking({ ...(slot && { resource }), details: { note: `'\\n"é${index}` } });
        return { booking, idempotent: hasKey ? { key: `${kind} ${index}`, fingerprint: 'payload' } : undefined };
      });
      const create = ({ booking, idempotent }: (typeof wishes)[0]) => bookings.create(booking, idempotent);
      const again = wishes.map((wish) => ({ ...wish, booking: { ...wish.booking, bookingId: aBooking().bookingId } }));
      const kindsOf = async (creates: typeof wishes): Promise<string[]> => [
        ...new Set((await Promise.all(creates.map(create))).map((outcome) => outcome.kind)),
      ];
      expect([kind, await kindsOf(wishes)]).toEqual([kind, ['created']]);
      for (const { booking } of wishes) expect(await bookings.find(booking.bookingId)).toEqual(booking);
      expect([kind, await kindsOf(again)]).toEqual([kind, [hasKey ? 'replayed' : slot ? 'slot_taken' : 'created']]);
    }
  });

  it('of many creates of one slot, and of one key, one makes a booking', async () => {
    const bookings = await empty();
    const key = { key: 'one', fingerprint: 'payload' };
    const creates = Array.from({ length: 96 }, async (_, index) => {
      const resource = `room ${index % 3}`;
      const { kind } = await (index % 3 === 0
        ? bookings.create(aBooking(), key)
        : bookings.create(aBooking({ resource, start: index % 4, end: 5 })));
      return kind;
    });
    const kinds = await Promise.all(creates);
    const count = (wanted: string): number => kinds.filter((kind) => kind === wanted).length;
    expect([count('created'), count('replayed'), count('slot_taken')]).toEqual([3, 31, 62]);
  });

  it('events have the same numbers, and endpoints the same progress', async () => {
    const bookings = new PostgresBookingsRepository(database);
    const store = new EventStore(database);
    await store.switchOn();
    await store.register({ name: 'billing', from: 'first' });
    const made = Array.from({ length: 3 }, (_, index) => aBooking({ resource: `room ${index}` }));
    for (const booking of made) await bookings.create(booking);
    while ((await store.findWork()).hasUnsequenced) await store.assignSequences();
    expect((await store.findWork()).endpoints).toEqual(['billing']);
    const endpoint = { name: 'billing', url: 'https://billing.example/' } as Parameters<EventStore['claim']>[0];
    expect(await store.claim(endpoint, OWNER)).toMatchObject({ progress: { delivered: 0, ahead: [] } });
    const { events } = await store.read('billing', { delivered: 0, previous: 0, ahead: [] }, '');
    expect(events.map(({ sequence, bookingId }) => [sequence, bookingId])).toEqual(
      made.map(({ bookingId }, index) => [index + 1, bookingId]),
    );
    const progress = { delivered: 1, previous: 1, ahead: [3], failures: 2 };
    const saved = { ...progress, failingFor: 3_600_000, pause: 30_000, endedUrl: undefined, settled: [] };
    await store.save('billing', OWNER, saved, true);
    const parkedAt = Date.now();
    await store.park('billing', events[1]!, 'rejected');
    const [state] = await store.states();
    expect(state).toMatchObject({ progress, behind: 2, parked: 1 });
    expect(state!.pause).toBeGreaterThan(20_000);
    expect(Math.abs(state!.progress.failingFor! - 3_600_000)).toBeLessThan(10_000);
    const [parked] = await store.parked('billing');
    expect(parked).toMatchObject({ sequence: 2, bookingId: made[1]!.bookingId });
    expect(Math.abs(parked!.parkedAt - parkedAt)).toBeLessThan(10_000);
  });
});
