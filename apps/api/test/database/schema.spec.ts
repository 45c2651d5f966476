import { randomBytes } from 'node:crypto';
import {
  createTestDatabase,
  dropTestDatabase,
  LocalPostgres,
  sqlOf,
  temporaryFolder,
  type TestDatabase,
} from 'testing';
import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import { databaseSettings } from '../../src/cli/with-database.js';
import type { Database } from '../../src/platform/database/database.js';
import { migrate, prepareSchema } from '../../src/platform/database/migrations.js';
import { aBooking } from '../bookings/arbitrary-bookings.js';
import { openDatabase } from '../support/open-database.js';
import { onServer } from '../support/pooled.js';
import { startApp } from '../support/start-app.js';

const settingsOf = (url: string) => databaseSettings({ DATABASE_URL: onServer(url) });
const dropping = (name: string, instead: string) => `ALTER TABLE bookings DROP CONSTRAINT ${name}; ${instead}`;
const setting = (text: string) =>
  `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET ${text}', current_database()); END $$`;

let database: TestDatabase;
beforeEach(async () => void (database = await createTestDatabase()));
afterEach(() => database.drop());

it.each([
  [
    'has a deferrable constraint of keys',
    dropping(
      'one_booking_for_a_key',
      'ALTER TABLE bookings ADD CONSTRAINT one_booking_for_a_key UNIQUE (idempotency_key) DEFERRABLE',
    ),
    /^the table bookings lacks one_booking_for_a_key/,
  ],
  [
    'has another constraint of that name',
    dropping('slots_never_overlap', 'ALTER TABLE bookings ADD CONSTRAINT slots_never_overlap CHECK (true)'),
    /^the table bookings lacks slots_never_overlap/,
  ],
  [
    'would lose events',
    'ALTER TABLE bookings DISABLE TRIGGER record_created_bookings; DROP TRIGGER record_deleted_bookings ON bookings',
    /^the table bookings lacks the trigger record_created_bookings and record_deleted_bookings, or has it disabled/,
  ],
  [
    'would lose bookings and events in a crash',
    'ALTER TABLE bookings SET UNLOGGED; ALTER TABLE webhook_deliveries SET UNLOGGED',
    /^a crash of the server would empty bookings and webhook_deliveries\. Run ALTER TABLE … SET LOGGED\.$/,
  ],
  [
    'leads to the bookings of another tenant too',
    `CREATE SCHEMA other; CREATE TABLE other.slots_never_overlap (); ${setting('search_path = public, other')}`,
    /^the search_path of the role leads to the bookings of \w+ and \w+: .* See "Tenants" in docs\/deployment\.md/,
  ],
])('A database that %s stops a start and a migration, with advice', async (_, sql, fault) => {
  const settings = settingsOf(database.url);
  await migrate(settings);
  await database.query(sql);
  await expect(prepareSchema(settings, false)).rejects.toThrow(fault);
  await expect(migrate(settings)).rejects.toThrow(fault);
});

it('A server without fsync lets the service start, with one warning', async () => {
  const server = await LocalPostgres.start(temporaryFolder(), ['-c', 'fsync=off', '-c', 'full_page_writes=off']);
  const service = await startApp({ DATABASE_URL: server.url('postgres') });
  const warnings = service.logged.filter((line) => line.includes('has fsync and full_page_writes off'));
  expect(warnings.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ level: 'warn' }]);
  await service.close();
  await server.stop();
});

it('A missing database, or one in another encoding than UTF-8, stops a start', async () => {
  const name = `latin_${randomBytes(6).toString('hex')}`;
  const url = new URL(database.url);
  url.pathname = `/${name}`;
  await expect(prepareSchema(settingsOf(url.href), true)).rejects.toThrow('does not exist');
  await database.query(`CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
  await expect(prepareSchema(settingsOf(url.href), true)).rejects.toThrow('the encoding LATIN1, not UTF8');
  await dropTestDatabase(name);
});

it('Two tenants as in docs/deployment.md book the same slot, and cannot read the bookings of each other', async () => {
  const [once, each, deletion] = sqlOf('deployment.md', 'Tenants');
  const roles = Array.from({ length: 2 }, () => `tenant_${randomBytes(6).toString('hex')}`);
  await database.query(once!);
  const tenants: Database[] = [];
  for (const role of roles) {
    const owner = new URL(database.url);
    owner.username = `${role}_owner`;
    owner.password = '…';
    const serving = new URL(database.url);
    serving.username = role;
    serving.password = '…';
    await database.query(each!.replaceAll('acme', role));
    await migrate(settingsOf(owner.href), role);
    const tenant = await openDatabase(serving.href, { DATABASE_MIGRATE_AT_START: 'false' });
    const bookings = new PostgresBookingsRepository(tenant);
    const booking = aBooking({ resource: 'room' });
    expect(await bookings.create(booking, { key: 'k', fingerprint: '' })).toMatchObject({ kind: 'created' });
    tenants.push(tenant);
    const limits = [
      'statement_timeout=2500ms',
      'idle_in_transaction_session_timeout=5s',
      'tcp_keepalives_idle=60s',
      'jit=off',
    ];
    const [set] = await database.query(`SELECT rolconfig FROM pg_roles WHERE rolname = '${role}'`);
    expect(set).toEqual({ rolconfig: [`search_path=${role}`, ...limits] });
  }
  const reading = tenants[0]!.read({ text: `SELECT FROM ${roles[1]}.bookings` });
  await expect(reading).rejects.toMatchObject({ cause: { code: '42501' } });
  for (const tenant of tenants) tenant.close();
  for (const role of roles) await database.query(deletion!.replaceAll('acme', role));
});
