import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from 'testing';
import { uuidv7 } from 'uuidv7';
import { Database } from '../../src/platform/database/database.js';
import { DeliveryOperations } from '../../src/features/events/delivery-operations.js';
import { type Delivery, DeliveryStore } from '../../src/features/events/delivery-store.js';
import { DAY, HOUR } from '../bookings/arbitrary-bookings.js';
import { openDatabase } from '../support/open-database.js';

const doors = { name: 'doors', url: 'https://hooks.example', prefix: '', from: 'now' as const, secrets: [] };
const INSERT = 'INSERT INTO bookings (booking_id, resource_id, slot_start, slot_end, json) VALUES ($1, $2, $3, $4, $5)';

let testDatabase: TestDatabase;
let database: Database;
let store: DeliveryStore;
let operations: DeliveryOperations;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await openDatabase(testDatabase.url);
  store = new DeliveryStore(database);
  operations = new DeliveryOperations(database);
});
beforeEach(() => testDatabase.query('TRUNCATE bookings, webhook_deliveries, webhook_endpoints'));
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

async function connect(): Promise<Client> {
  const client = new Client({ connectionString: testDatabase.url });
  await client.connect();
  return client;
}

async function insert(resource: string | null = `room ${uuidv7()}`, id = uuidv7()): Promise<string> {
  const slot = resource === null ? [null, null, null] : [resource, DAY, DAY + HOUR];
  await testDatabase.query(INSERT, [id, ...slot, `{"booking_id":"${id}"}`]);
  return id;
}

/** Bookings of the seconds from 1970 on, from before there are endpoints. */
const insertOld = (count: number) =>
  testDatabase.query(
    `INSERT INTO bookings (booking_id, json)
      SELECT (lpad(to_hex(n * 1000), 12, '0') || repeat('7', 20))::uuid, '{}' FROM generate_series(1, ${count}) AS n`,
  );

const remove = (...ids: string[]) => testDatabase.query('DELETE FROM bookings WHERE booking_id = ANY($1)', [ids]);

interface Row {
  id: string;
  endpoint: string;
  due: Date | null;
  attempts: number;
}
const waiting = () =>
  testDatabase.query<Row>(
    `SELECT endpoint, CASE WHEN deleted_at IS NULL THEN 'created-' ELSE 'deleted-' END || booking_id AS id, due, attempts
      FROM webhook_deliveries ORDER BY webhook_deliveries.id`,
  );
const ids = async () => (await waiting()).map(({ id }) => id);

const claim = (acknowledged: string[] = [], places = 16, endpoint = doors): Promise<Delivery[]> =>
  store.claim(endpoint, acknowledged, places, 20_000, true);

const changeEndpoint = (set: string) => testDatabase.query(`UPDATE webhook_endpoints SET ${set}`);
const changeDeliveries = (set: string) => testDatabase.query(`UPDATE webhook_deliveries SET ${set}`);

describe('A booking', () => {
  it('is recorded for the endpoints of its resource, as is its deletion, in its own transaction, by any writer', async () => {
    await insert();
    await store.register([doors, { ...doors, name: 'rooms', prefix: 'room' }]);
    const client = await connect();
    await client.query('BEGIN');
    await client.query(INSERT, [uuidv7(), null, null, null, '{}']);
    await client.query('ROLLBACK');
    await client.end();
    const [desk, room] = [await insert('desk'), await insert('room 1')];
    await testDatabase.query(`${INSERT} ON CONFLICT DO NOTHING`, [desk, null, null, null, '{}']);
    const recorded = async () => (await waiting()).map(({ id, endpoint }) => `${endpoint} ${id}`).toSorted();
    const of = (event: string) => [`doors ${event}-${desk}`, `doors ${event}-${room}`, `rooms ${event}-${room}`];
    expect(await recorded()).toEqual(of('created'));
    await remove(desk, room);
    expect(await recorded()).toEqual(of('deleted'));
  });

  it('that is deleted is recorded under any search path, and its creation is not sent any more', async () => {
    await store.register([doors]);
    const [delivered, dead, pending] = [await insert('room'), await insert(), await insert(null)];
    const [claimed] = await claim([], 2);
    await claim([claimed!.id], 0);
    await testDatabase.query('UPDATE webhook_deliveries SET due = NULL WHERE booking_id = $1', [dead]);
    const client = await connect();
    await client.query('BEGIN; DELETE FROM bookings; ROLLBACK');
    expect(await ids()).toEqual([`created-${dead}`, `created-${pending}`]);
    await client.query('SET search_path = pg_catalog; DELETE FROM public.bookings');
    await client.end();
    expect((await ids()).toSorted()).toEqual([delivered, dead, pending].map((id) => `deleted-${id}`).toSorted());
    const deletions = await claim();
    const slot = { resourceId: 'room', start: DAY, end: DAY + HOUR };
    expect(deletions.find(({ bookingId }) => bookingId === delivered)).toMatchObject({ json: null, slot });
    expect(deletions.find(({ bookingId }) => bookingId === pending)).toMatchObject({ slot: null });
    for (const { deletedAt } of deletions) expect(Math.abs(deletedAt! - Date.now())).toBeLessThan(60_000);
  });

  it('is recorded for an endpoint, however long it was in no file, until a service forgets that after a week', async () => {
    await store.register([doors, { ...doors, name: 'gone' }]);
    await changeEndpoint(`seen_at = now() - interval '8 days'`);
    await remove(await insert());
    await insert();
    const endpoints = async () => (await waiting()).map(({ endpoint }) => endpoint).toSorted();
    expect(await endpoints()).toEqual(['doors', 'doors', 'gone', 'gone']);
    await store.register([doors]);
    expect(await endpoints()).toEqual(['doors', 'doors']);
    expect(await store.states()).toMatchObject([{ name: 'doors' }]);
  });

  it('whose create still saw a forgotten endpoint leaves no event of it', async () => {
    await store.register([doors]);
    const client = await connect();
    await client.query('BEGIN');
    await client.query(INSERT, [uuidv7(), null, null, null, '{}']);
    expect(await operations.forget('doors')).toBe(0);
    await client.query('COMMIT');
    await client.end();
    expect(await ids()).toHaveLength(1);
    await store.register([]);
    expect(await ids()).toEqual([]);
  });
});

describe('A claim', () => {
  beforeEach(() => store.register([doors]));

  it('is of one process, until its time is over; what was acknowledged is deleted and never claimed again', async () => {
    const made = [await insert(), await insert(), await insert()];
    const one = await claim([], 2);
    expect(one).toMatchObject([{ attempts: 1, failures: 0, json: `{"booking_id":"${made[0]}"}`, deletedAt: null }, {}]);
    expect((await claim()).map(({ bookingId }) => bookingId)).toEqual([made[2]]);
    await changeDeliveries('due = now()');
    const again = await claim([one[0]!.id]);
    expect(again.map(({ bookingId, attempts }) => [bookingId, attempts])).toEqual([
      [made[1], 2],
      [made[2], 2],
    ]);
    await claim(
      again.map(({ id }) => id),
      0,
    );
    expect(await waiting()).toEqual([]);
  });

  it('never takes what another transaction is taking', async () => {
    for (let n = 0; n < 40; n++) await insert();
    const claims = await Promise.all(Array.from({ length: 4 }, () => claim()));
    const claimed = claims.flat().map(({ id }) => id);
    expect(new Set(claimed).size).toBe(claimed.length);
    expect(claims.every((part) => part.length <= 16)).toBe(true);
  });

  it('is of one event, by one process, from a time on, while the endpoint fails', async () => {
    for (let n = 0; n < 4; n++) await insert();
    const [first, second] = await claim([], 2);
    const failure = { reason: '503', pause: 10_000, endpointPause: 60_000 };
    expect(await store.fail(first!, doors, failure)).toEqual({ isDead: false, failures: 1 });
    expect(await store.fail(first!, doors, failure)).toEqual({ isDead: false, failures: null });
    expect(await store.findDue([doors], true)).toEqual([]);
    expect(await claim()).toEqual([]);
    await changeEndpoint('due = now()');
    expect(await store.findDue([doors], false)).toEqual([{ name: 'doors', isReplayed: false }]);
    const probes = (await Promise.all([claim(), claim(), claim()])).flat();
    expect(probes).toMatchObject([{ failures: 1 }]);
    await changeEndpoint('failures = 5');
    expect(await store.recover('doors', 0)).toBe(false);
    expect(await store.recover('doors', 5)).toBe(true);
    // What failed in the outage need not wait; what is in flight is not sent twice.
    const next = (await claim()).map(({ id }) => id);
    expect(next).toContain(first!.id);
    expect(next).not.toContain(second!.id);
    expect(next).not.toContain(probes[0]!.id);
  });

  it('does not wait longer where the clock of the database went back', async () => {
    await insert();
    await changeDeliveries(`due = now() + interval '1 hour'`);
    await store.register([doors]);
    await changeEndpoint(`failures = 3, due = now() + interval '1 hour', failed_at = now() + interval '59 min'`);
    expect(await store.findDue([doors], true)).toHaveLength(1);
    expect(await claim()).toHaveLength(1);
  });
});

describe('Bookings from before', () => {
  const replayAll = async (): Promise<number> => {
    for (let rounds = 0; ; rounds++) if (!(await store.replaySome('doors'))) return rounds;
  };

  it('are recorded some seconds after an endpoint was first seen, in parts, and in no part while many wait', async () => {
    await insertOld(2_500);
    await store.register([{ ...doors, from: 'first' }]);
    expect(await replayAll()).toBe(0);
    const fresh = await insert();
    await changeEndpoint(`replay_until = now() - interval '1 ms'`);
    expect(await store.findDue([doors], true)).toEqual([{ name: 'doors', isReplayed: true }]);
    expect(await replayAll()).toBe(1);
    expect(await waiting()).toHaveLength(1_001);
    await changeDeliveries('due = NULL');
    expect(await replayAll()).toBe(1);
    await changeDeliveries('due = NULL');
    expect(await replayAll()).toBe(2);
    const all = await ids();
    // The one that was created in these seconds comes twice.
    expect([all.length, new Set(all).size]).toEqual([2_502, 2_501]);
    expect(all.filter((id) => id === `created-${fresh}`)).toHaveLength(2);
    expect(await store.states()).toMatchObject([{ isReplayed: false }]);
  });

  it('are recorded again since a time, of the resources of the endpoint, after a replay that is not over too', async () => {
    await insertOld(30);
    await store.register([doors]);
    await changeEndpoint(`replay_until = '-infinity'`);
    expect(await operations.replay('nobody', 0)).toBe(false);
    expect(await operations.replay('doors', 25_000)).toBe(true);
    await replayAll();
    expect(await waiting()).toHaveLength(6);
    await operations.replay('doors', 10_000);
    await operations.replay('doors', 20_000);
    await replayAll();
    expect(await waiting()).toHaveLength(6 + 21);
    await store.register([{ ...doors, prefix: 'room' }]);
    await operations.replay('doors', 0);
    await replayAll();
    expect(await waiting()).toHaveLength(27);
  });
});
