import { createTestDatabase, type TestDatabase } from 'testing';
import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import { readConfig } from '../../src/config/config.js';
import { Database } from '../../src/database/database.js';
import { DeliveryStore } from '../../src/events/delivery-store.js';
import { aBooking } from '../bookings/arbitrary-bookings.js';
import { expectToBehaveLikeModel } from '../bookings/bookings-repository.model.js';
import { StoreUnavailable } from '../../src/bookings/booking.errors.js';
import { migrate } from '../../src/database/migrations.js';
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

  it('events are recorded, claimed and acknowledged', async () => {
    const bookings = new PostgresBookingsRepository(database);
    const store = new DeliveryStore(database);
    const endpoint = {
      name: 'billing',
      url: 'https://billing.example/',
      prefix: 'room',
      from: 'now' as const,
      secrets: [],
    };
    await store.register([endpoint]);
    const made = Array.from({ length: 3 }, (_, index) => aBooking({ resource: `room ${index}` }));
    for (const booking of made) await bookings.create(booking);
    expect(await store.findDue([endpoint], true)).toEqual([{ name: 'billing', isReplayed: false }]);
    const claims = await Promise.all([
      store.claim(endpoint, [], 1, 20_000, true),
      store.claim(endpoint, [], 2, 20_000, true),
    ]);
    const claimed = claims.flat();
    expect(new Set(claimed.map(({ json }) => json))).toEqual(new Set(made.map(({ json }) => json)));
    expect(await store.fail(claimed[0]!, endpoint, { reason: '422', pause: 30_000 })).toMatchObject({ isDead: false });
    expect(await store.fail(claimed[1]!, endpoint, { reason: '422' })).toMatchObject({ isDead: true });
    await store.claim(endpoint, [claimed[2]!.id], 0, 0, true);
    const [state] = await store.states();
    expect(state).toMatchObject({ failures: 0, pending: 1, deadLetters: 1, isUsed: true });
    expect(state!.age).toBeLessThan(60);
  });
});
