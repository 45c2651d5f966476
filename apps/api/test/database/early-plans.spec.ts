import { sortOrders } from '@booking-service/contracts';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from 'testing';
import { withSessionSettings } from '../../src/database/connection.js';
import { type BookingsQuery, MAX_PAGE_BYTES } from '../../src/bookings/bookings.repository.js';
import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import { largePageStatement, listParts, pageStatement } from '../../src/bookings/postgres/list-statements.js';
import { DAY, HOUR } from '../bookings/arbitrary-bookings.js';
import { buffersOf, explainExecute } from './list-buffers.js';
import { openDatabase } from '../support/open-database.js';

/** Bookings that came after the plans were made, and before the server looked at the table again. */
const ROWS = 20_000;
const MOST_BUFFERS = 150;

const windows: Pick<BookingsQuery, 'from' | 'to'>[] = [
  {},
  { from: DAY + HOUR, to: DAY + 9 * HOUR },
  { from: DAY, to: DAY + ROWS * HOUR },
  { from: DAY },
  { to: DAY + ROWS * HOUR },
];
const after = { at: DAY + 5 * HOUR, bookingId: '01a22ee7-2710-7c3a-9f0b-000000000000' };
const queries = sortOrders.flatMap((sort) =>
  [undefined, 'r1'].flatMap((resourceId) =>
    windows.flatMap((window): BookingsQuery[] => {
      const query = { limit: 20, sort, resourceId, ...window };
      return [query, { ...query, after: { ...after, at: sort.endsWith('start') ? after.at : null } }];
    }),
  ),
);
const statements = queries.flatMap((query) =>
  listParts(query).flatMap((part) =>
    [pageStatement, largePageStatement].map((statement) => {
      const {
        statement: { text },
        values,
      } = statement(part, query, 21, MAX_PAGE_BYTES);
      return { name: `${part} of ${JSON.stringify(query)} by ${statement.name}`, text, values };
    }),
  ),
);

describe('A list whose plan was made while the table was empty', () => {
  let testDatabase: TestDatabase;
  let client: Client;

  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    await (await openDatabase(testDatabase.url)).close();
    client = new Client({ connectionString: withSessionSettings({ url: testDatabase.url, statementTimeout: 10_000 }) });
    await client.connect();
    await client.query('ALTER TABLE bookings SET (autovacuum_enabled = off)');
    for (const [index, { text, values }] of statements.entries())
      await client.query({ name: `s${index}`, text, values });
    await client.query(
      `INSERT INTO bookings (booking_id, resource_id, slot_start, slot_end, json)
       SELECT ('01a22ee7-' || lpad(to_hex(n), 4, '0') || '-7c3a-9f0b-000000000000')::uuid, 'r' || n % 50,
         $1::bigint + n / 50 * 3600000, $1::bigint + n / 50 * 3600000 + 3600000, repeat('x', 200)
       FROM generate_series(1, ${ROWS}) AS n`,
      [DAY],
    );
  });

  afterAll(async () => {
    await client.end();
    await testDatabase.drop();
  });

  it.each([...statements.keys()].map((index) => [statements[index]!.name, index] as const))(
    'the part %s reads its page alone',
    async (_, index) => {
      const plan = await explainExecute(client, `s${index}`, statements[index]!.values);
      expect(buffersOf(plan)).toBeLessThanOrEqual(MOST_BUFFERS);
    },
  );
});

it('Lists are planned once for each connection', async () => {
  const testDatabase = await createTestDatabase();
  const database = await openDatabase(testDatabase.url, { DATABASE_POOL_SIZE: '2' });
  const bookings = new PostgresBookingsRepository(database);
  for (let index = 0; index < 20; index++) await bookings.list({ limit: 20, sort: '-created_at' });
  const { rows } = await database.run({ text: 'SELECT generic_plans, custom_plans FROM pg_prepared_statements' });
  await database.close();
  await testDatabase.drop();
  expect(rows).toEqual([{ generic_plans: '20', custom_plans: '0' }]);
});
