import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from 'testing';
import { uuidv7 } from 'uuidv7';
import { readConfig } from '../../src/config/config.js';
import { Database } from '../../src/database/database.js';
import { migrate } from '../../src/database/schema.js';
import type { BookingEvent } from '../../src/events/event.js';
import { EventStore } from '../../src/events/event-store.js';
import { DAY, HOUR } from '../bookings/arbitrary-bookings.js';
import { openDatabase } from '../support/open-database.js';
import { OtherMigrations } from '../support/other-migrations.js';
import { until } from '../support/until.js';

const slot = { resource_id: 'room-1', start: new Date(DAY).toISOString(), end: new Date(DAY + HOUR).toISOString() };
const nothing = { delivered: 0, previous: 0, ahead: [] };

let testDatabase: TestDatabase;
let database: Database;
let store: EventStore;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await openDatabase(testDatabase.url);
  store = new EventStore(database);
});
beforeEach(async () => {
  for (const trigger of ['note_created_bookings', 'note_deleted_bookings'])
    await testDatabase.query(`DROP TRIGGER IF EXISTS ${trigger} ON bookings`);
  await testDatabase.query('TRUNCATE bookings, booking_outbox, booking_events, booking_deletions, webhook_parked');
  await testDatabase.query('TRUNCATE webhook_endpoints; UPDATE event_sequence SET last = 0');
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

async function insert(resource: string | null = 'room-1', id = uuidv7()): Promise<string> {
  const values = resource === null ? [null, null, null] : [resource, DAY, DAY + HOUR];
  await testDatabase.query(
    'INSERT INTO bookings (booking_id, resource_id, slot_start, slot_end, json) VALUES ($1, $2, $3, $4, $5)',
    [id, ...values, `{"guest":"Ada"}`],
  );
  return id;
}

const remove = (...ids: string[]) => testDatabase.query('DELETE FROM bookings WHERE booking_id = ANY($1)', [ids]);

async function assignAll(): Promise<void> {
  while ((await store.assignSequences()) || (await store.findWork()).hasUnsequenced);
}

/** What an endpoint that has nothing yet is sent: number, number before, id and type of each event. */
async function read(prefix = ''): Promise<readonly BookingEvent[]> {
  await assignAll();
  return (await store.read('doors', nothing, prefix)).events;
}
const listed = (events: readonly BookingEvent[]) =>
  events.map(({ sequence, previous, id, type }) => [sequence, previous, id, type.replace('bookings.booking.', '')]);

it('A deletion is no event before events are switched on', async () => {
  await remove(await insert());
  await store.switchOn();
  expect(await read()).toEqual([]);
});

describe('The deletion of a booking', () => {
  beforeEach(() => store.switchOn());

  it('is an event with a number of its own, with the slot and nothing else of the booking', async () => {
    const start = Date.now();
    const id = await insert();
    await assignAll();
    await remove(id);
    const again = await insert();
    const events = await read();
    expect(listed(events)).toEqual([
      [1, 0, `created-${id}`, 'deleted'],
      [2, 1, `deleted-${id}`, 'deleted'],
      [3, 2, `created-${again}`, 'created'],
    ]);
    for (const event of events.slice(0, 2)) {
      expect(event).toMatchObject({ bookingId: id, resourceId: 'room-1' });
      expect(event.data).toBe(
        `{"booking_id":"${id}","slot":${JSON.stringify(slot)},"deleted_at":"${new Date(event.time).toISOString()}"}`,
      );
      expect(Math.abs(event.time - start)).toBeLessThan(60_000);
    }
  });

  it('is noted in its transaction, however many bookings go at once, and under any search path', async () => {
    const ids = [await insert('room-1'), await insert('room-2'), await insert(null)];
    const client = new Client({ connectionString: testDatabase.url });
    await client.connect();
    await client.query('BEGIN; DELETE FROM bookings; ROLLBACK');
    expect(await read()).toHaveLength(3);
    await client.query('SET search_path = pg_catalog');
    await client.query('DELETE FROM public.bookings');
    await client.end();
    expect((await store.findWork()).hasUnsequenced).toBe(true);
    const events = await read();
    expect(
      events
        .map(({ id }) => id)
        .slice(3)
        .toSorted(),
    ).toEqual(ids.map((id) => `deleted-${id}`).toSorted());
    expect(JSON.parse(events.find(({ id }) => id === `deleted-${ids[2]}`)!.data)).toEqual({
      booking_id: ids[2],
      deleted_at: expect.stringMatching(/^2/),
    });
    expect((await store.findWork()).hasUnsequenced).toBe(false);
  });

  it('takes the place of a created event that has no number yet', async () => {
    const id = await insert();
    await remove(id);
    expect(listed(await read())).toEqual([
      [1, 0, `created-${id}`, 'deleted'],
      [2, 1, `deleted-${id}`, 'deleted'],
    ]);
  });

  it('is sent to those alone whose filter the booking matched', async () => {
    const [room, desk] = [await insert('room-1'), await insert('desk-1'), await insert(null)];
    await assignAll();
    await remove(room, desk);
    expect((await read('room-')).map(({ id, previous }) => [id, previous])).toEqual([
      [`created-${room}`, 0],
      [`deleted-${room}`, 1],
    ]);
  });

  it('is sent where the event of the booking was parked', async () => {
    await store.register({ name: 'doors', from: 'first' });
    const id = await insert();
    await assignAll();
    await store.park('doors', (await read())[0]!, '422');
    await remove(id);
    expect(await store.retry('doors')).toBe(1);
    expect(await store.parked('doors')).toMatchObject([{ bookingId: id, isDue: true }]);
    const { events } = await store.readDeferred('doors');
    expect(listed(events.map(({ event }) => event))).toEqual([[1, 0, `created-${id}`, 'deleted']]);
  });

  it('is noted while events are off, once they have been on', async () => {
    const id = await insert();
    await assignAll();
    await store.switchOff();
    await remove(id);
    await insert();
    await store.switchOn();
    expect((await read()).map((event) => event.id)).toEqual([
      `created-${id}`,
      expect.stringMatching('created-'),
      `deleted-${id}`,
    ]);
  });

  it('leaves no gap where nothing noted it, as with TRUNCATE: its slot is unknown', async () => {
    const id = await insert();
    await assignAll();
    await testDatabase.query('TRUNCATE bookings');
    const [event] = await read();
    expect(listed([event!])).toEqual([[1, 0, `created-${id}`, 'deleted']]);
    expect(JSON.parse(event!.data)).not.toHaveProperty('slot');
  });

  it('has the age of the deletion, not of the booking, where it is behind', async () => {
    await store.register({ name: 'doors', from: 'first' });
    const old = `0190${uuidv7().slice(4)}`;
    await insert('room-1', old);
    await assignAll();
    await testDatabase.query('UPDATE webhook_endpoints SET delivered = 1');
    await remove(old);
    expect(await store.states()).toMatchObject([{ behind: 1 }]);
    await assignAll();
    const [state] = await store.states();
    expect(state!.behind).toBe(1);
    expect(Math.abs(state!.oldest! - Date.now())).toBeLessThan(60_000);
  });

  it('is not noted again for a booking that was inserted again by hand', async () => {
    const id = await insert();
    await remove(id);
    await assignAll();
    await insert('room-1', id);
    expect(listed(await read())).toEqual([
      [1, 0, `created-${id}`, 'created'],
      [2, 1, `deleted-${id}`, 'deleted'],
    ]);
    await remove(id);
    expect(await read()).toHaveLength(2);
  });
});

describe('A schema of before', () => {
  const migrations = new OtherMigrations('0005');
  let older: TestDatabase;

  beforeEach(async () => void (older = await createTestDatabase()));
  afterEach(() => older.drop());
  afterAll(() => migrations.remove());

  it('with events notes deletions from now on, and creates go on while it waits for its locks', async () => {
    await migrate(migrations.settings(older.url));
    await older.query('SELECT switch_events_on()');
    const insertOne = `INSERT INTO bookings (booking_id, json) VALUES (gen_random_uuid(), '{}')`;
    const open = new Client({ connectionString: older.url });
    await open.connect();
    await open.query(`BEGIN; ${insertOne}`);
    const migrating = migrate(readConfig({ DATABASE_URL: older.url }).database!);
    await until(async () => {
      await older.query(`SET statement_timeout = '5s'; ${insertOne}`);
      return (await older.query(`SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'`)).length > 0;
    });
    await open.query('COMMIT');
    await open.end();
    expect((await migrating).applied).toContain('0006_booking_deletions.sql');
    const [{ count }] = (await older.query<{ count: string }>('SELECT count(*) FROM bookings')) as [{ count: string }];
    await older.query('DELETE FROM bookings');
    expect(await older.query('SELECT FROM booking_deletions')).toHaveLength(Number(count));
  });
});

/** The statements of the version before deletions were events. */
const older = {
  assign: 'SELECT number_events(1000) AS scanned',
  claim: `UPDATE webhook_endpoints SET leased_by = $2, leased_until = now() + $4 * interval '1 ms'
    WHERE name = (
      SELECT name FROM webhook_endpoints
      WHERE name = $1 AND delivered IS NOT NULL AND due <= now() AND (leased_until <= now() OR leased_by = $2)
        AND ended_url IS DISTINCT FROM $3
      FOR UPDATE SKIP LOCKED
    ) RETURNING delivered`,
  save: `UPDATE webhook_endpoints SET delivered = $3, previous = $4, ahead = $5, attempts = $6,
      failing_since = now() - $7::float8 * interval '1 ms', due = now() + $8 * interval '1 ms', ended_url = $9,
      leased_until = now() + $10 * interval '1 ms'
    WHERE name = $1 AND leased_by = $2`,
};

describe('A service of the version before', () => {
  const endpoint = { name: 'doors', url: 'https://hooks.example', secrets: [], from: 'first' as const, prefix: '' };
  const owner = randomUUID();
  let client: Client;

  beforeEach(async () => {
    await store.switchOn();
    await store.register(endpoint);
    client = new Client({ connectionString: testDatabase.url });
    await client.connect();
  });
  afterEach(() => client.end());

  const claim = async () => (await client.query(older.claim, [endpoint.name, owner, endpoint.url, 5_000])).rowCount;
  const save = async (delivered: number, lease: number) =>
    (await client.query(older.save, [endpoint.name, owner, delivered, 0, [], 0, null, 0, null, lease])).rowCount;

  it('numbers and sends creations, and leaves deletions to a later one', async () => {
    const id = await insert('room-1');
    await remove(id);
    await insert('room-2');
    expect((await client.query(older.assign)).rows).toEqual([{ scanned: 2 }]);
    expect((await client.query('SELECT sequence FROM booking_events')).rows).toHaveLength(2);
    expect(await claim()).toBe(1);
    expect(await save(2, 5_000)).toBe(1);
    expect(await store.assignSequences()).toBe(false);
    expect((await store.findWork()).hasUnsequenced).toBe(true);
    expect(await save(2, 0)).toBe(1);
    expect((await read()).map((event) => event.id)).toEqual([
      `created-${id}`,
      expect.stringMatching('created-'),
      `deleted-${id}`,
    ]);
  });

  it('gets no endpoint that is to receive a deletion, before a later one has sent it', async () => {
    await remove(await insert());
    await assignAll();
    expect(await claim()).toBe(0);
    const claimed = await store.claim(endpoint, uuidv7());
    expect(claimed).toBeDefined();
    await testDatabase.query(`UPDATE webhook_endpoints SET delivered = 2, leased_until = '-infinity'`);
    expect(await claim()).toBe(1);
  });

  it('whose lease is over keeps no progress beyond a deletion, and what it sent before', async () => {
    const id = await insert();
    await assignAll();
    expect(await claim()).toBe(1);
    await testDatabase.query(`UPDATE webhook_endpoints SET leased_until = now() - interval '1 ms'`);
    await remove(id);
    await assignAll();
    expect(await save(3, 0)).toBe(0);
    expect(await save(1, 5_000)).toBe(0);
    expect(await save(1, 0)).toBe(1);
  });

  it('waits for who gives numbers, so that it cannot get an endpoint meanwhile', async () => {
    await remove(await insert());
    await client.query('BEGIN');
    await client.query('SELECT assign_sequences(1000, true)');
    const claiming = testDatabase.query(older.claim, [endpoint.name, owner, endpoint.url, 5_000]);
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'UPDATE webhook_endpoints%'
      AND datname = current_database()`;
    await until(async () => (await testDatabase.query(waiting)).length === 1);
    await client.query('COMMIT');
    expect(await claiming).toEqual([]);
  });
});
