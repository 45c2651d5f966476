import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import { DeliveryStore } from '../../src/features/events/delivery-store.js';
import { aBooking, HOUR } from '../bookings/arbitrary-bookings.js';
import { describeBookingsRepository } from '../bookings/bookings-repository.suite.js';
import { aClaim, doors } from '../events/a-claim.js';
import { useDatabase } from '../support/open-database.js';

/** Settings of a database or a role that affect values, texts or transactions. */
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

describe.each(SETTINGS)('On a database with $settings', ({ settings }) => {
  const postgres = useDatabase({ settings });

  const create = async (): Promise<PostgresBookingsRepository> => {
    await postgres.query('TRUNCATE bookings');
    return new PostgresBookingsRepository(postgres.database);
  };
  describeBookingsRepository('the PostgreSQL repository', create, 5);

  it('events are recorded, claimed and acknowledged', async () => {
    const store = new DeliveryStore(postgres.database);
    await store.register([{ ...doors, prefix: 'room' }]);
    const bookings = await create();
    const made = Array.from({ length: 3 }, (_, index) => aBooking({ resource: `room ${index}` }));
    for (const booking of made) await bookings.create(booking);
    const claimed = (await Promise.all([1, 2].map((limit) => store.claim(aClaim({ limit }))))).flat();
    expect(new Set(claimed.map(({ json }) => json))).toEqual(new Set(made.map(({ json }) => json)));
    const [delivered, rejected] = claimed.map(({ id }) => id);
    const failed = [{ deliveryId: rejected!, reason: '422', pause: 0, isLast: true }];
    await store.record({ name: doors.name, acknowledged: [delivered!], failed });
    expect(await store.states()).toMatchObject([{ failures: 0, pending: 1, deadLetters: 1, isInFile: true }]);
    await postgres.query('DELETE FROM bookings');
    const [deletion] = await store.claim(aClaim());
    expect(Math.abs(deletion!.deletedAt! - Date.now())).toBeLessThan(24 * HOUR);
  });
});
