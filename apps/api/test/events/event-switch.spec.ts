import { Logger } from '@nestjs/common';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from 'testing';
import { uuidv7 } from 'uuidv7';
import { Database } from '../../src/database/database.js';
import { EventStore } from '../../src/events/event-store.js';
import { EventSwitch } from '../../src/events/event-switch.js';
import { EventsFixture } from './events-fixture.js';
import { create } from '../support/bookings.js';
import { openDatabase } from '../support/open-database.js';
import { until } from '../support/until.js';

class CountingStore extends EventStore {
  attempts = 0;

  override switchOn(): Promise<boolean> {
    this.attempts++;
    return super.switchOn();
  }
}

let testDatabase: TestDatabase;
let database: Database;
let store: CountingStore;
let logged: string[];

beforeEach(async () => {
  logged = [];
  const log = (line: string): void => void logged.push(line);
  Logger.overrideLogger({ log, warn: log, error: log });
  testDatabase = await createTestDatabase();
  database = await openDatabase(testDatabase.url);
  store = new CountingStore(database);
});
afterEach(async () => {
  await database.close();
  await testDatabase.drop();
});

/** Holds the table of bookings as a transaction does that has created one. @returns its process, and its end */
async function holdTable(): Promise<{ pid: number; end: () => Promise<void> }> {
  const client = new Client({ connectionString: testDatabase.url });
  await client.connect();
  await client.query('BEGIN');
  await client.query(`INSERT INTO bookings (booking_id, json) VALUES ($1, '{}')`, [uuidv7()]);
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return { pid: rows[0]!.pid, end: () => client.end() };
}

describe('Events are switched on', () => {
  it('after attempts 5 s, then ever longer apart, while a transaction holds the table, which one line names', async () => {
    const held = await holdTable();
    let now = 0;
    const eventSwitch = new EventSwitch(store, () => now);
    const secondsOfAttempts: number[] = [];
    for (; now < 140_000; now += 1_000) {
      const before = store.attempts;
      expect(await eventSwitch.check()).toBe(false);
      if (store.attempts > before) secondsOfAttempts.push(now / 1_000);
    }
    expect(secondsOfAttempts).toEqual([0, 5, 15, 35, 75, 135]);
    expect(logged).toEqual([
      `Events are not on yet: process ${held.pid} of the database (RowExclusiveLock) holds the table bookings. ` +
        'Attempts go on, at least one a minute.',
    ]);
    await held.end();
    now += 60_000;
    expect(await eventSwitch.check()).toBe(true);
    expect(logged[1]).toBe('Bookings are noted for events from now on.');
  });

  it('once: what an operator switched off stays off, is seen within a minute, and said once', async () => {
    let now = 0;
    const eventSwitch = new EventSwitch(store, () => now);
    expect(await eventSwitch.check()).toBe(true);
    await store.switchOff();
    expect(await eventSwitch.check()).toBe(true);
    for (let minutes = 0; minutes < 2; minutes++) {
      now += 60_000;
      expect(await eventSwitch.check()).toBe(false);
    }
    await store.switchOn();
    now += 60_000;
    expect(await eventSwitch.check()).toBe(true);
    expect(logged).toEqual([
      'Bookings are noted for events from now on.',
      'Events were switched off: no booking is noted for them until `webhooks on`.',
      'Events are on again.',
    ]);
  });
});

it('A service whose events are not on yet says so in a line and a gauge, and books', async () => {
  const held = await holdTable();
  const fixture = new EventsFixture({ ...testDatabase, drop: async () => {} });
  fixture.setEndpoints({ name: 'billing', url: 'http://127.0.0.1:1' });
  const service = await fixture.start();
  try {
    await until(() => service.logged.some((line) => line.includes('Events are not on yet')));
    await create(service.api);
    expect((await service.api.get('/metrics')).text).toMatch(/^webhook_events_on 0$/m);
  } finally {
    await held.end();
    await fixture.close();
  }
});
