import { sqlOf } from 'testing';
import { uuidv7 } from 'uuidv7';
import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import type { AttemptRecord, Delivery } from '../../src/features/events/attempt.js';
import { DeliveryOperations } from '../../src/features/events/delivery-operations.js';
import { DeliveryStore } from '../../src/features/events/delivery-store.js';
import { aBooking, DAY, HOUR } from '../bookings/arbitrary-bookings.js';
import { openDatabase, useDatabase } from '../support/open-database.js';
import { aClaim, doors } from './a-claim.js';

const INSERT = 'INSERT INTO bookings (booking_id, resource_id, slot_start, slot_end, json) VALUES ($1, $2, $3, $4, $5)';

const postgres = useDatabase();
let store: DeliveryStore;
let operations: DeliveryOperations;

beforeAll(() => {
  store = new DeliveryStore(postgres.database);
  operations = new DeliveryOperations(postgres.database);
});
beforeEach(() => postgres.query('TRUNCATE bookings, webhook_deliveries, webhook_endpoints'));

async function insert(resource: string | null = `room ${uuidv7()}`, id = uuidv7()): Promise<string> {
  const slot = resource === null ? [null, null, null] : [resource, DAY, DAY + HOUR];
  await postgres.query(INSERT, [id, ...slot, `{"booking_id":"${id}"}`]);
  return id;
}

const remove = (...ids: string[]) => postgres.query('DELETE FROM bookings WHERE booking_id = ANY($1)', [ids]);

interface Row {
  id: string;
  endpoint: string;
  due: Date | null;
  attempts: number;
}
const waiting = () =>
  postgres.query<Row>(
    `SELECT endpoint, type || '-' || booking_id AS id, due, attempts FROM webhook_deliveries ORDER BY booking_id`,
  );
const ids = async () => (await waiting()).map(({ id }) => id);

const claim = (limit = 16) => store.claim(aClaim({ limit }));
const record = (changes: Omit<AttemptRecord, 'name'>) => store.record({ name: doors.name, ...changes });

const changeEndpoint = (set: string) => postgres.query(`UPDATE webhook_endpoints SET ${set}`);
const changeDeliveries = (set: string) => postgres.query(`UPDATE webhook_deliveries SET ${set}`);

describe('A booking', () => {
  it('is recorded for the endpoints of its resource in its own transaction, as is its deletion', async () => {
    await insert();
    await store.register([doors, { ...doors, name: 'rooms', prefix: 'room' }]);
    const client = await postgres.connect();
    await client.query('BEGIN');
    await client.query(INSERT, [uuidv7(), null, null, null, '{}']);
    await client.query('ROLLBACK');
    const desk = await insert('desk');
    const room = await insert('room 1');
    await postgres.query(`${INSERT} ON CONFLICT DO NOTHING`, [desk, null, null, null, '{}']);
    const recorded = async () => (await waiting()).map(({ id, endpoint }) => `${endpoint} ${id}`).toSorted();
    const of = (event: string) => [`doors ${event}-${desk}`, `doors ${event}-${room}`, `rooms ${event}-${room}`];
    expect(await recorded()).toEqual(of('created'));
    await remove(desk, room);
    expect(await recorded()).toEqual(of('deleted'));
  });

  it('that is created is recorded under any search path, as while a backup is restored', async () => {
    await store.register([doors]);
    const client = await postgres.connect();
    const id = uuidv7();
    await client.query(`SET search_path = ''`);
    await client.query(INSERT.replace('bookings', 'public.bookings'), [id, null, null, null, '{}']);
    expect(await ids()).toEqual([`created-${id}`]);
  });

  it('that is deleted is recorded under any search path, and its creation is no longer sent', async () => {
    await store.register([doors]);
    const delivered = await insert('room');
    const dead = await insert();
    const pending = await insert(null);
    const [claimed] = await claim(2);
    await record({ acknowledged: [claimed!.id] });
    await postgres.query('UPDATE webhook_deliveries SET due = NULL WHERE booking_id = $1', [dead]);
    const client = await postgres.connect();
    await client.query('BEGIN; DELETE FROM bookings; ROLLBACK');
    expect(await ids()).toEqual([`created-${dead}`, `created-${pending}`]);
    await client.query(`SET search_path = ''; DELETE FROM public.bookings`);
    expect((await ids()).toSorted()).toEqual([delivered, dead, pending].map((id) => `deleted-${id}`).toSorted());
    const deletions = await claim();
    const slot = { resourceId: 'room', start: DAY, end: DAY + HOUR };
    expect(deletions.find(({ bookingId }) => bookingId === delivered)).toMatchObject({ json: null, slot });
    expect(deletions.find(({ bookingId }) => bookingId === pending)).toMatchObject({ slot: null });
  });

  it('that "Retention" of the runbook deletes, made and over two years ago, is recorded', async () => {
    await store.register([doors]);
    const years = (count: number) => Date.now() - count * 366 * 24 * HOUR;
    const idOf = (time: number) => `${time.toString(16).padStart(12, '0')}${uuidv7().replaceAll('-', '').slice(12)}`;
    const book = async (made: number, end: number | null): Promise<void> => {
      const slot = end === null ? [null, null, null] : [uuidv7(), end - HOUR, end];
      await postgres.query(INSERT, [idOf(made), ...slot, `{"made":${made},"end":${end}}`]);
    };
    await book(years(3), years(2.5));
    await book(years(3), null);
    await book(years(3), years(-1));
    await book(years(1), years(0.9));
    await book(years(1), years(2.5));
    await postgres.query('TRUNCATE webhook_deliveries');
    const [batch] = sqlOf('runbook.md', 'Retention');
    await postgres.query(batch!);
    expect(await ids()).toEqual([expect.stringMatching(/^deleted-/), expect.stringMatching(/^deleted-/)]);
    const kept = await postgres.query<{ json: string }>('SELECT json FROM bookings');
    expect(kept.filter(({ json }) => (JSON.parse(json) as { made: number }).made < years(2))).toHaveLength(1);
    expect(kept).toHaveLength(3);
  });

  it('is recorded for an endpoint in no file until a service forgets the endpoint after a week', async () => {
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

  it('that is committed after its endpoint was forgotten leaves no event', async () => {
    await store.register([doors]);
    const client = await postgres.connect();
    await client.query('BEGIN');
    await client.query(INSERT, [uuidv7(), null, null, null, '{}']);
    expect(await operations.forget('doors')).toBe(0);
    await client.query('COMMIT');
    expect(await ids()).toHaveLength(1);
    await store.register([]);
    expect(await ids()).toEqual([]);
  });
});

describe('A claim', () => {
  beforeEach(() => store.register([doors]));

  it('belongs to one process until it expires; acknowledged events are deleted', async () => {
    const made = [await insert(), await insert(), await insert()];
    const one = await claim(2);
    expect(one).toMatchObject([{ attempts: 1, failures: 0, json: `{"booking_id":"${made[0]}"}`, deletedAt: null }, {}]);
    expect((await claim()).map(({ bookingId }) => bookingId)).toEqual([made[2]]);
    await changeDeliveries('due = now()');
    await record({ acknowledged: [one[0]!.id] });
    const again = await claim();
    expect(again.map(({ bookingId, attempts }) => [bookingId, attempts])).toEqual([
      [made[1], 2],
      [made[2], 2],
    ]);
    await record({ acknowledged: again.map(({ id }) => id) });
    expect(await waiting()).toEqual([]);
  });

  it('deletes nothing for the acknowledgement of a delivery that a failover lost', async () => {
    await insert();
    const [lost] = await claim();
    await postgres.query('TRUNCATE webhook_deliveries');
    await insert();
    await record({ acknowledged: [lost!.id] });
    expect(await waiting()).toHaveLength(1);
  });

  it('leaves out events that another transaction is claiming', async () => {
    const taken = await insert();
    const free = await insert();
    const client = await postgres.connect();
    await client.query(`BEGIN; SELECT FROM webhook_deliveries WHERE booking_id = '${taken}' FOR UPDATE`);
    const claimed = await claim().finally(() => void client.end());
    expect(claimed.map(({ bookingId }) => bookingId)).toEqual([free]);
  });

  it('marks the last attempt three days after the first, not after the booking', async () => {
    await insert();
    const shift = (days: number) =>
      changeDeliveries(`due = now(), waiting_since = waiting_since - interval '${days} days'`);
    await shift(4);
    expect(await claim()).toMatchObject([{ attempts: 1, isLast: false }]);
    await shift(2);
    expect(await claim()).toMatchObject([{ attempts: 2, isLast: false }]);
    await shift(2);
    expect(await claim()).toMatchObject([{ attempts: 3, isLast: true }]);
  });
});

describe('An endpoint that fails', () => {
  const verdict = { isUp: false, failures: 0, pause: 60_000, reason: '503', endedUrl: null };
  let attempts: readonly Delivery[];

  beforeEach(async () => {
    await store.register([doors]);
    for (let n = 0; n < 4; n++) await insert();
    // In the order of `waiting`: a claim returns events in any order.
    attempts = (await claim(3)).toSorted((one, other) => (one.bookingId < other.bookingId ? -1 : 1));
  });

  it('delays its failed events, and makes them dead letters after their last attempt', async () => {
    const failed = attempts.slice(0, 2).map(({ id }, index) => {
      return { deliveryId: id, reason: '503', pause: 60_000, isLast: index === 1 };
    });
    expect(await record({ failed, verdict })).toBe(1);
    expect(await claim()).toEqual([]);
    const [delayed, dead, inFlight] = await waiting();
    expect(delayed!.due!.getTime()).toBeGreaterThan(inFlight!.due!.getTime());
    expect(dead!.due).toBeNull();
  });

  it('is tried at once, with its failed events, when an operator retries it', async () => {
    const failed = attempts.map(({ id: deliveryId }) => {
      return { deliveryId, reason: '503', pause: 60_000, isLast: false };
    });
    await record({ failed, verdict });
    // More than one statement makes due.
    await postgres.query(`INSERT INTO webhook_deliveries (endpoint, booking_id, type, due, last_error)
      SELECT 'doors', gen_random_uuid(), 'created', now() + interval '1 min', '503' FROM generate_series(1, 10001)`);
    expect(await operations.retry(doors.name)).toBe(0);
    expect(await postgres.query('SELECT FROM webhook_deliveries WHERE due > now()')).toEqual([]);
    expect(await claim()).toHaveLength(1);
  });

  it('is judged once by concurrent attempts', async () => {
    expect(await record({ verdict })).toBe(1);
    expect(await record({ verdict })).toBeNull();
    expect(await record({ verdict: { ...verdict, isUp: true, failures: 2 } })).toBeNull();
    expect(await claim()).toEqual([]);
    expect(await record({ verdict: { ...verdict, isUp: true, failures: 1 } })).toBe(0);
    expect(await claim()).toHaveLength(1);
  });

  it('has ended only if its last failure was a 410', async () => {
    await record({ verdict: { ...verdict, endedUrl: 'https://doors.example/old' } });
    expect(await store.states()).toMatchObject([{ endedUrl: 'https://doors.example/old' }]);
    await record({ verdict: { ...verdict, failures: 1 } });
    expect(await store.states()).toMatchObject([{ failures: 2, endedUrl: null }]);
  });

  it('has ended after a 410 whatever failed beside it', async () => {
    await record({ verdict });
    await record({ verdict: { ...verdict, endedUrl: doors.url } });
    await changeEndpoint('due = now()');
    expect(await claim()).toEqual([]);
  });

  it('is sent one event by one process, once its pause is over', async () => {
    await record({ verdict });
    await changeDeliveries('due = now()');
    expect(await claim()).toEqual([]);
    await changeEndpoint('due = now()');
    await changeDeliveries(`due = now() + interval '1 min'`);
    expect(await claim()).toEqual([]);
    await changeDeliveries('due = now()');
    expect((await Promise.all([claim(), claim(), claim()])).flat()).toMatchObject([{ failures: 1 }]);
  });
});

describe('While somebody holds rows of events,', () => {
  it.each([2, 6])('lists and gets do not wait for claims and records (%i connections)', async (size) => {
    const database = await openDatabase(postgres.url, {
      DATABASE_POOL_SIZE: String(size),
      DATABASE_STATEMENT_TIMEOUT_MS: '60000',
    });
    const bookings = new PostgresBookingsRepository(database);
    const patient = new DeliveryStore(database);
    await store.register([doors]);
    const known = aBooking();
    await bookings.create(known);
    const [delivery] = await claim();
    await changeEndpoint('failures = 1');
    const holder = await postgres.connect();
    await holder.query('BEGIN; SELECT FROM webhook_endpoints, webhook_deliveries FOR UPDATE');
    const state = { isOver: false };
    const events = Promise.allSettled([
      patient.claim(aClaim()),
      patient.record({ name: doors.name, acknowledged: [delivery!.id] }),
    ]).finally(() => (state.isOver = true));
    for (let n = 0; n < 10; n++) await Promise.all([bookings.list({}, { limit: 1 }), bookings.find(known.bookingId)]);
    expect(state.isOver).toBe(false);
    await holder.query('ROLLBACK');
    await events;
    database.close();
  });

  it.each<[string, (id: string) => Promise<unknown>]>([
    ['registration', () => store.register([{ ...doors, prefix: 'room' }])],
    ['claim', () => claim()],
    ['record', (id) => record({ acknowledged: [id] })],
  ])('a %s gives up after a tenth of its time limit', async (_, wait) => {
    await store.register([doors]);
    await insert();
    const [delivery] = await claim();
    await changeEndpoint('failures = 1');
    await changeDeliveries('due = now()');
    const holder = await postgres.connect();
    await holder.query('BEGIN; SELECT FROM webhook_endpoints, webhook_deliveries FOR UPDATE');
    await expect(wait(delivery!.id)).rejects.toMatchObject({ cause: { code: '55P03' } });
    await holder.query('ROLLBACK');
  });
});

it('A database clock that is set back delays nothing', async () => {
  await store.register([doors]);
  await insert();
  await changeDeliveries(`due = now() + interval '1 hour'`);
  await store.register([doors]);
  await changeEndpoint(`failures = 3, due = now() + interval '1 hour', due_set_at = now() + interval '59 min'`);
  expect(await claim()).toHaveLength(1);
});

it('Events are counted up to 10,000', async () => {
  await store.register([doors]);
  await postgres.query(
    `INSERT INTO webhook_deliveries (endpoint, booking_id, type, due, waiting_since)
      SELECT 'doors', lpad(n::text, 32, '0')::uuid, 'created', CASE WHEN n % 2 = 0 THEN time END, time
      FROM generate_series(1, 20002) AS n, LATERAL (SELECT now() - n * interval '1 s' AS time) AS age`,
  );
  const [state] = await store.states();
  expect(state).toMatchObject({ pending: 10_000, deadLetters: 10_000 });
  expect(state!.age).toBeGreaterThanOrEqual(20_002);
});
