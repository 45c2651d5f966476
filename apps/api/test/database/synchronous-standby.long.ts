import { Client } from 'pg';
import { LocalPostgres, TcpProxy, temporaryFolder, until } from 'testing';
import { StoreUnavailable } from '../../src/bookings/domain/booking.errors.js';
import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import { DeliveryStore } from '../../src/features/events/delivery-store.js';
import type { Database } from '../../src/platform/database/database.js';
import { aBooking } from '../bookings/arbitrary-bookings.js';
import { aClaim, doors } from '../events/a-claim.js';
import { openDatabase } from '../support/open-database.js';
import { startPooler } from '../support/pooler.js';
import { runCommand } from '../support/run-command.js';

/** The smallest pool in which two groups of creates and events each have a connection. */
const POOL_SIZE = 5;
const LIMITS = {
  DATABASE_POOL_SIZE: String(POOL_SIZE),
  DATABASE_CONNECT_TIMEOUT_MS: '2000',
  DATABASE_STATEMENT_TIMEOUT_MS: '2000',
};

let server: LocalPostgres;
let url: string;
let admin: Client;
let database: Database;
let bookings: PostgresBookingsRepository;

beforeAll(async () => {
  server = await LocalPostgres.start(temporaryFolder(), ['-c', 'max_connections=40']);
  await server.createDatabase('bookings');
  url = server.url('bookings');
  admin = new Client({ connectionString: url });
  await admin.connect();
  // The server tells by a warning that it gave up waiting for a standby.
  await admin.query('ALTER DATABASE bookings SET client_min_messages = error');
  await admin.query('ALTER DATABASE bookings SET synchronous_commit = off');
});
afterAll(async () => {
  await admin.end();
  await server.stop();
});
afterEach(async () => {
  await expectStandby('');
  database.close();
});

/** Connects the service through a proxy. @param to the URL of the server or of a pooler */
async function connectThroughProxy(to = url): Promise<TcpProxy> {
  const proxy = await TcpProxy.start(Number(new URL(to).port));
  await connect(proxy.through(to));
  return proxy;
}

async function connect(through: string): Promise<void> {
  database = await openDatabase(through, LIMITS);
  bookings = new PostgresBookingsRepository(database);
}

async function expectStandby(names: string): Promise<void> {
  await admin.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
  await admin.query('SELECT pg_reload_conf()');
  const shown = async () => (await admin.query('SHOW synchronous_standby_names')).rows[0].synchronous_standby_names;
  await until(async () => (await shown()) === names);
  // Commits wait once the checkpointer has read the setting, which may be after this session.
  await admin.query('CHECKPOINT');
}

const isDone = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );
const areKept = (count: number) =>
  Promise.all(Array.from({ length: count }, () => isDone(bookings.create(aBooking()))));

it('While a synchronous standby is down, reads go on, nothing is acknowledged, and connections do not pile up', async () => {
  await connect(url);
  await new DeliveryStore(database).register([doors]);
  const known = aBooking({ resource: 'room' });
  await bookings.create(known);
  await expectStandby('nobody');
  const filter = { resourceId: 'room' };
  const read = () =>
    Promise.all([bookings.find(known.bookingId), bookings.list(filter, { limit: 10 }), bookings.checkReady()]);
  // A second round shows the connections that the first one opened.
  for (let round = 0; round < 2; round++) {
    const state = { isWriting: true, reads: 0, late: 0 };
    const writing = areKept(12).finally(() => (state.isWriting = false));
    while (state.isWriting) {
      if (await isDone(read())) state.reads++;
      else state.late++;
      const { rowCount } = await admin.query(`SELECT FROM pg_stat_activity WHERE application_name = 'booking-service'`);
      expect(rowCount).toBeLessThanOrEqual(POOL_SIZE);
    }
    expect(await writing).not.toContain(true);
    expect(state.reads).toBeGreaterThan(2 * state.late + 2);
  }
  await expect(bookings.create(aBooking())).rejects.toThrow(StoreUnavailable);
  // Registrations, claims and records need no standby: what a failover loses of them is done again.
  const store = new DeliveryStore(database);
  await store.register([doors, { ...doors, name: 'windows' }]);
  const deliveries = await store.claim(aClaim());
  expect(deliveries.map(({ json }) => json)).toEqual([known.json]);
  await store.record({ name: doors.name, acknowledged: deliveries.map(({ id }) => id) });
  await expectStandby('');
  await until(async () => (await areKept(1))[0]!);
});

/** Sessions that wait for the standby with a statement that contains the value. */
const WAITING = `SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND position($1 IN query) > 0`;
const isWaiting = async (part: string) => (await admin.query(WAITING, [part])).rows.length > 0;

/** Ends waiting sessions, once there are any. */
async function endWaiting(part: string): Promise<void> {
  await until(() => isWaiting(part));
  await admin.query(`SELECT pg_terminate_backend(pid, 5000) FROM (${WAITING}) AS session`, [part]);
}

it.each(['server', 'pooler'])(
  'A create on a %s whose wait for a standby is cancelled is not acknowledged',
  async (on) => {
    const pooler = await startPooler(url, 'dropped');
    const proxy = await connectThroughProxy(on === 'pooler' ? pooler.url : url);
    await expectStandby('nobody');
    const cancelled = aBooking();
    const creating = isDone(bookings.create(cancelled));
    await until(() => isWaiting('INSERT INTO bookings'));
    // The notice and the response arrive together.
    proxy.hang();
    await admin.query(`SELECT pg_cancel_backend(pid) FROM (${WAITING}) AS session`, ['INSERT INTO bookings']);
    await until(async () => !(await isWaiting('INSERT INTO bookings')));
    proxy.goOn();
    const isAcknowledged = await creating;
    const kept = await bookings.find(cancelled.bookingId);
    proxy.close();
    pooler.close();
    expect(kept?.json).toBe(cancelled.json);
    expect(isAcknowledged).toBe(false);
  },
);

it('A deletion by an operator waits for a synchronous standby', async () => {
  await connect(url);
  const booking = aBooking();
  await bookings.create(booking);
  await expectStandby('nobody');
  const deleting = runCommand('booking', ['delete', booking.bookingId, '--yes'], { DATABASE_URL: url });
  await until(() => isWaiting('DELETE FROM bookings'));
  await admin.query(`SELECT pg_cancel_backend(pid) FROM (${WAITING}) AS session`, ['DELETE FROM bookings']);
  const unknown = new RegExp(
    `^Failed: booking ${booking.bookingId} may be deleted or not \\(.+\\)\\. Run this again\\.`,
  );
  expect(await deleting).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(unknown) });
});

it('A replay waits for a synchronous standby like a create, also in a group', async () => {
  await connect(url);
  const keyed = { key: 'key', fingerprint: 'payload' };
  const retry = () => bookings.create(aBooking(), keyed);
  const held = { resource: 'held', start: 1, end: 2 };
  await bookings.create(aBooking(held));
  await expectStandby('nobody');
  const first = aBooking();
  const creates = [isDone(bookings.create(first, keyed)), isDone(retry())];
  await endWaiting('INSERT INTO bookings');
  expect(await Promise.all(creates)).toEqual([false, false]);
  // Nothing waits for it any more, so that it is visible.
  expect((await bookings.find(first.bookingId))?.json).toBe(first.json);
  await expect(retry()).rejects.toThrow(StoreUnavailable);
  await endWaiting('INSERT INTO bookings');
  // A rejection acknowledges nothing, and waits for nothing. The retries go together once both have responded.
  const rejected = [1, 2].map(() => bookings.create(aBooking(held)));
  const group = [1, 2, 3].map(() => isDone(retry()));
  await endWaiting('string_to_array');
  expect(await Promise.all(rejected)).toMatchObject([{ kind: 'slot_taken' }, { kind: 'slot_taken' }]);
  expect(await Promise.all(group)).toEqual([false, false, false]);
  await expectStandby('');
  expect(await retry()).toMatchObject({ kind: 'replayed', booking: { json: first.json } });
});

/** Opens a connection that looks like one of the service, and begins a statement on it. */
async function running(statement: string): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: 'booking-service' });
  client.on('error', () => {});
  await client.connect();
  client.query(statement).catch(() => {});
  return client;
}

it('A dead connection for writes is replaced once no write runs, despite slow reads and unread responses', async () => {
  const proxy = await connectThroughProxy();
  await until(async () => !(await areKept(8)).includes(false));
  const slow = await running('SELECT pg_sleep(600)');
  const unread = await running(`SELECT pg_current_xact_id(), repeat('x', 1e8::int)`);
  unread.connection.stream.pause();
  proxy.hangOpen();
  expect(await areKept(8)).toContain(false);
  proxy.hangOpen();
  await until(async () => (await areKept(1))[0]!);
  for (const client of [slow, unread]) client.connection.stream.destroy();
  proxy.close();
});
