import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from 'testing';
import { Database } from '../../src/database/database.js';
import { uuidv7 } from 'uuidv7';
import { readConfig } from '../../src/config/config.js';
import { FIND_WORK } from '../../src/events/event-statements.js';
import type { EndpointState } from '../../src/events/event-rows.js';
import { EventStore } from '../../src/events/event-store.js';
import { api } from '../support/api.js';
import { create } from '../support/bookings.js';
import { openDatabase } from '../support/open-database.js';
import { startApp } from '../support/start-app.js';
import { until } from '../support/until.js';

/** The statement of a replica that knows of no events. */
const INSERT = 'INSERT INTO bookings (booking_id, json) VALUES ($1, $2)';

let testDatabase: TestDatabase;
let database: Database;
let store: EventStore;

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  database = await openDatabase(testDatabase.url);
  store = new EventStore(database);
});
afterEach(async () => {
  await database.close();
  await testDatabase.drop();
});

async function connect(): Promise<Client> {
  const client = new Client({ connectionString: testDatabase.url });
  client.on('error', () => {});
  await client.connect();
  return client;
}

async function insert(id = uuidv7()): Promise<string> {
  await testDatabase.query(INSERT, [id, `{"booking_id":"${id}"}`]);
  return id;
}

/** Ids in the order of their numbers, which are 1, 2, 3, ... */
async function numbered(): Promise<string[]> {
  for (;;) if (!(await store.assignSequences()) && !(await store.findWork()).hasUnsequenced) break;
  const rows = await testDatabase.query<{ sequence: string; id: string }>(
    'SELECT sequence, booking_id AS id FROM booking_events ORDER BY booking_events.sequence',
  );
  expect(rows.map(({ sequence }) => Number(sequence))).toEqual(rows.map((_, index) => index + 1));
  return rows.map(({ id }) => id);
}

const noted = async (): Promise<number> =>
  (await testDatabase.query('SELECT FROM booking_outbox')).length +
  (await testDatabase.query('SELECT FROM booking_events')).length;

it('An endpoint is known once, also in a table that is being restored and has no primary key yet', async () => {
  await store.register({ name: 'billing', from: 'now' });
  await testDatabase.query('ALTER TABLE webhook_endpoints DROP CONSTRAINT webhook_endpoints_pkey');
  await expect(store.register({ name: 'billing', from: 'now' })).rejects.toThrow('ON CONFLICT');
  expect(await testDatabase.query('SELECT FROM webhook_endpoints')).toHaveLength(1);
});

describe('Bookings are noted for events', () => {
  it('never before events are switched on: there is no trigger', async () => {
    await insert();
    expect(await noted()).toBe(0);
    expect(await testDatabase.query(`SELECT FROM pg_trigger WHERE tgrelid = 'bookings'::regclass`)).toEqual([]);
  });

  it('from then on, by any writer: also over open connections with prepared statements', async () => {
    const old = await connect();
    const statement = { name: 'insert', text: INSERT };
    const before = [uuidv7(), uuidv7()];
    for (const id of before) await old.query(statement, [id, '{}']);
    expect(await store.switchOn()).toBe(true);
    expect(await store.switchOn()).toBe(false);
    const after = [uuidv7(), uuidv7(), await insert()];
    for (const id of after.slice(0, 2)) await old.query(statement, [id, '{}']);
    await old.end();
    // What was there comes first, by its ids.
    expect(await numbered()).toEqual([...before, after[2], after[0], after[1]]);
  });

  it('no more once they are switched off; what was missed is noted when they are on again', async () => {
    await store.switchOn();
    const first = await insert();
    expect(await numbered()).toEqual([first]);
    expect(await store.switchOff()).toBe(true);
    expect(await store.switchOff()).toBe(false);
    const missed = await insert();
    expect(await noted()).toBe(1);
    await store.switchOn();
    expect(await numbered()).toEqual([first, missed]);
  });

  it('with the booking: what is not committed is not noted, nor is what is rejected', async () => {
    await store.switchOn();
    const client = await connect();
    await client.query('BEGIN');
    await client.query(INSERT, [uuidv7(), '{}']);
    await client.query('ROLLBACK');
    await client.end();
    const id = await insert();
    await testDatabase.query(`${INSERT} ON CONFLICT DO NOTHING`, [id, '{}']);
    expect(await numbered()).toEqual([id]);
  });
});

describe('Numbers', () => {
  it('are given to a booking that is committed late, after those that were numbered before it', async () => {
    await store.switchOn();
    const client = await connect();
    const late = uuidv7();
    await client.query('BEGIN');
    await client.query(INSERT, [late, '{}']);
    const early = await insert();
    expect(await numbered()).toEqual([early]);
    await client.query('COMMIT');
    await client.end();
    expect(await numbered()).toEqual([early, late]);
  });

  it('of old bookings come first, and in batches, whatever the clocks of those that are created meanwhile', async () => {
    await testDatabase.query(
      `INSERT INTO bookings (booking_id, json)
        SELECT (lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000')::uuid, '{}' FROM generate_series(1, 2500) AS n`,
    );
    await store.switchOn();
    // By its id it is the second; but it is newer than events are.
    const skewed = '00000001-0000-7000-8000-000000000001';
    await insert(skewed);
    expect(await store.assignSequences()).toBe(true);
    const newest = await insert();
    const all = await numbered();
    expect(all).toHaveLength(2_502);
    expect(all.slice(0, 2_500)).toEqual(all.slice(0, 2_500).toSorted());
    expect(all.slice(2_500)).toEqual([skewed, newest]);
  });

  it('are given once, also where a restored backup notes a booking again', async () => {
    await store.switchOn();
    const [one, two] = [await insert(), await insert()];
    expect(await numbered()).toEqual([one, two]);
    await testDatabase.query('INSERT INTO booking_outbox (booking_id) VALUES ($1), ($1)', [one]);
    const three = await insert();
    expect(await numbered()).toEqual([one, two, three]);
  });

  it('have no gap and no double, however many processes give them', async () => {
    await store.switchOn();
    const others = Array.from(
      { length: 4 },
      () => new Database(readConfig({ DATABASE_URL: testDatabase.url }).database!),
    );
    await Promise.all(others.map((other) => other.prepare()));
    const writers = Array.from({ length: 4 }, async () => {
      const client = await connect();
      for (let n = 0; n < 100; n++) await client.query(INSERT, [uuidv7(), '{}']);
      await client.end();
    });
    const over = Promise.all(writers).then(() => true);
    const numberers = others.map(async (other) => {
      while (!(await Promise.race([over, sleep(1)]))) await new EventStore(other).assignSequences();
    });
    await Promise.all(numberers);
    await Promise.all(others.map((other) => other.close()));
    expect(new Set(await numbered()).size).toBe(400);
  });
});

describe('What was taken', () => {
  interface Plan {
    'Shared Hit Blocks': number;
    'Shared Read Blocks': number;
  }
  const buffersOf = async (client: Client, statement: string): Promise<number> => {
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement}`,
    );
    const plan = rows[0]!['QUERY PLAN'][0].Plan;
    return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  };
  /** As ten seconds later. */
  const sweep = () => testDatabase.query(`UPDATE event_sequence SET swept_at = now() - interval '11 s'`);

  /** It moves once no transaction is open that began before, in any database of the server. */
  const floor = async (): Promise<number> => {
    const [{ floor }] = (await testDatabase.query('SELECT floor FROM event_sequence')) as [{ floor: string }];
    return Number(floor);
  };

  it('is not read again while a snapshot keeps it', async () => {
    await store.switchOn();
    const old = await connect();
    await old.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await old.query('SELECT FROM bookings');
    await testDatabase.query(
      `INSERT INTO bookings (booking_id, json) SELECT gen_random_uuid(), '{}' FROM generate_series(1, 20000)`,
    );
    while (await store.assignSequences());
    await until(async () => {
      await sweep();
      await insert();
      await store.assignSequences();
      return (await floor()) >= 20_000;
    });
    const client = await connect();
    const read: number[] = [];
    // The first time it is planned, which reads the catalogs.
    for (let n = 0; n < 2; n++) {
      await insert();
      read[0] = await buffersOf(client, FIND_WORK.text.replaceAll('$1', 'false'));
      read[1] = await buffersOf(client, 'SELECT assign_sequences(1000, true)');
    }
    await Promise.all([old.end(), client.end()]);
    // 20,000 bookings take 200 pages.
    expect(Math.max(...read)).toBeLessThan(100);
    expect(await numbered()).toHaveLength((await testDatabase.query('SELECT FROM bookings')).length);
  });

  it('never hides what is committed late, or positions that begin anew', async () => {
    await store.switchOn();
    const client = await connect();
    const late = uuidv7();
    await client.query('BEGIN');
    await client.query(INSERT, [late, '{}']);
    const ids: string[] = [];
    for (let n = 0; n < 4; n++) {
      ids.push(await insert());
      await store.assignSequences();
      await sweep();
    }
    await testDatabase.query('UPDATE event_sequence SET swept_at = now()');
    await client.query('COMMIT');
    await client.end();
    expect((await store.findWork(false)).hasUnsequenced).toBe(true);
    expect(await numbered()).toEqual([...ids, late]);
    // Without an open transaction it moves on, and a sequence that restarts is found by a thorough look.
    await until(async () => {
      await sweep();
      ids.push(await insert());
      await store.assignSequences();
      return (await floor()) > 1;
    });
    await testDatabase.query(`ALTER SEQUENCE booking_outbox_position_seq RESTART`);
    await insert();
    expect((await store.findWork(false)).hasUnsequenced).toBe(false);
    expect((await store.findWork()).hasUnsequenced).toBe(true);
    await sweep();
    expect(await numbered()).toHaveLength(ids.length + 2);
  });
});

describe('Switching on', () => {
  it('holds up no create for a second, and is tried again while a transaction has the table', async () => {
    const client = await connect();
    const held = uuidv7();
    await client.query('BEGIN');
    await client.query(INSERT, [held, '{}']);
    let isOn = false;
    const switching = (async () => {
      while (!isOn) isOn = await store.switchOn().catch(() => false);
    })();
    let slowest = 0;
    for (const begun = performance.now(); performance.now() - begun < 1_500; await sleep(5)) {
      const start = performance.now();
      await insert();
      slowest = Math.max(slowest, performance.now() - start);
    }
    expect(isOn).toBe(false);
    await client.query('COMMIT');
    await client.end();
    await switching;
    expect(slowest).toBeLessThan(1_000);
    expect(await numbered()).toContain(held);
  });
});

describe('An endpoint', () => {
  const progress = { delivered: 0, previous: 0, ahead: [], failures: 0, failingFor: undefined };
  const [one, other] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];

  const claim = (name: string, owner: string, url = 'https://hooks.example') =>
    store.claim({ name, url, secrets: [], from: 'now', prefix: '' }, owner);

  it('that starts from now receives nothing of what was there, from the first on everything', async () => {
    const old = await insert();
    await store.switchOn();
    await store.register({ name: 'now', from: 'now' });
    await store.register({ name: 'first', from: 'first' });
    const fresh = await insert();
    await numbered();
    const idsFor = async (name: string): Promise<string[]> => {
      const claimed = await claim(name, one);
      return (await store.read(name, claimed!.progress, '')).events.map(({ bookingId }) => bookingId);
    };
    expect(await idsFor('now')).toEqual([fresh]);
    expect(await idsFor('first')).toEqual([old, fresh]);
    await store.register({ name: 'first', from: 'now' });
    expect(await idsFor('first')).toEqual([old, fresh]);
  });

  it('is one process’s at a time, and another’s once its lease is over; then the first can keep nothing', async () => {
    await store.switchOn();
    await store.register({ name: 'doors', from: 'first' });
    expect(await claim('doors', one)).toMatchObject({ progress });
    expect(await claim('doors', other)).toBeUndefined();
    const saved = { ...progress, delivered: 7, ahead: [9], pause: 0, endedUrl: undefined, settled: [] };
    expect(await store.save('doors', one, saved, true)).toBe(true);
    await testDatabase.query(`UPDATE webhook_endpoints SET leased_until = now()`);
    expect(await claim('doors', other)).toMatchObject({ progress: { ...progress, delivered: 7, ahead: [9] } });
    expect(await store.save('doors', one, { ...saved, delivered: 8 }, true)).toBe(false);
    expect(await store.save('doors', other, saved, false)).toBe(true);
    expect(await claim('doors', one)).toMatchObject({ progress: { delivered: 7 } });
  });

  it('is left alone for its pause, and where it wants no more', async () => {
    await store.switchOn();
    await store.register({ name: 'doors', from: 'first' });
    expect(await store.states()).toMatchObject([{ name: 'doors', pause: 0 }]);
    const url = 'https://hooks.example';
    await claim('doors', one, url);
    const failed = {
      ...progress,
      failures: 2,
      failingFor: 3_600_000,
      pause: 60_000,
      endedUrl: undefined,
      settled: [],
    };
    await store.save('doors', one, failed, false);
    expect(await claim('doors', one, url)).toBeUndefined();
    const [{ pause }] = (await store.states()) as [EndpointState];
    expect(pause).toBeGreaterThan(50_000);
    expect(pause).toBeLessThanOrEqual(60_000);
    expect(await store.wake('doors')).toBe(true);
    expect(await store.states()).toMatchObject([{ pause: 0 }]);
    const claimed = await claim('doors', one, url);
    expect(claimed).toMatchObject({ progress: { failures: 2, failingFor: expect.any(Number) } });
    expect(Math.abs(claimed!.progress.failingFor! - 3_600_000)).toBeLessThan(10_000);
    await store.save('doors', one, { ...failed, pause: 0, endedUrl: url }, false);
    expect(await claim('doors', one, url)).toBeUndefined();
    expect(await claim('doors', one, `${url}/new`)).toBeDefined();
  });

  it('is free where its lease or its pause lasts too long, since the clock of the database went back', async () => {
    await store.switchOn();
    await store.register({ name: 'doors', from: 'first' });
    await insert();
    await numbered();
    const work = async () => (await store.findWork()).endpoints;
    for (const ahead of [`leased_until = now() + '95 s'`, `due = now() + '2 days'`]) {
      await testDatabase.query(`UPDATE webhook_endpoints SET ${ahead}`);
      expect(await work()).toEqual(['doors']);
      expect(await claim('doors', one)).toMatchObject({ wasSetBack: true });
      expect(await work()).toEqual([]);
      await store.save('doors', one, { ...progress, pause: 0, endedUrl: undefined, settled: [] }, false);
      // A clock that goes back later keeps nothing from being sent either.
      const ends = await testDatabase.query(
        `SELECT greatest(due, leased_until) = '-infinity' AS over FROM webhook_endpoints`,
      );
      expect(ends).toEqual([{ over: true }]);
    }
    expect(await claim('doors', one)).toMatchObject({ wasSetBack: false });
  });

  it('is read in batches of 64 events and 4 MiB, one event at least, each of which follows the one before', async () => {
    await store.switchOn();
    await store.register({ name: 'doors', from: 'first' });
    await testDatabase.query(
      `INSERT INTO bookings (booking_id, json) SELECT gen_random_uuid(), repeat('x', CASE WHEN n = 1 THEN 5000000 ELSE 1000000 END)
        FROM generate_series(1, 6) AS n`,
    );
    await testDatabase.query(
      `INSERT INTO bookings (booking_id, json) SELECT gen_random_uuid(), '{}' FROM generate_series(1, 200)`,
    );
    await numbered();
    let at = progress;
    const sizes: number[] = [];
    for (let isFull = true; isFull;) {
      const batch = await store.read('doors', at, '');
      sizes.push(batch.events.length);
      expect(batch.events[0]!.previous).toBe(at.previous);
      at = { ...at, ...batch.upTo };
      ({ isFull } = batch);
    }
    expect(sizes).toEqual([1, 4, 64, 64, 64, 9]);
    expect(at).toMatchObject({ delivered: 206, previous: 206 });
  });
});

it('Numbers and events are looked up, however few there were when the statements were planned', async () => {
  await store.switchOn();
  await store.register({ name: 'doors', from: 'first' });
  let at = { delivered: 0, previous: 0, ahead: [], failures: 0, failingFor: undefined };
  await insert();
  await numbered();
  await store.read('doors', at, '');
  await testDatabase.query(
    `INSERT INTO bookings (booking_id, json) SELECT gen_random_uuid(), '{}' FROM generate_series(1, 5000)`,
  );
  while (await store.assignSequences());
  for (let isFull = true; isFull;) {
    const batch = await store.read('doors', at, '');
    ({ isFull } = batch);
    at = { ...at, ...batch.upTo };
  }
  expect(at.delivered).toBe(5_001);
  // What a session has read is known when it ends.
  await database.close();
  database = new Database(readConfig({ DATABASE_URL: testDatabase.url }).database!);
  const tables = `SELECT sum(seq_tup_read) AS read, sum(idx_scan) AS lookups FROM pg_stat_user_tables
    WHERE relname IN ('bookings', 'booking_events')`;
  const counted = async () => (await testDatabase.query<{ read: string; lookups: string }>(tables))[0]!;
  await until(async () => Number((await counted()).lookups) > 5_000);
  expect(Number((await counted()).read)).toBeLessThan(5_000);
});

it('The service notes bookings only where it has endpoints', async () => {
  const running = await startApp({ DATABASE_URL: testDatabase.url });
  await create(api(running.url));
  expect((await api(running.url).get('/metrics')).text).not.toContain('webhook');
  await running.close();
  expect(await noted()).toBe(0);
});
