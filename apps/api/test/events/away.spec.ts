import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { uuidv7 } from 'uuidv7';
import { createTestDatabase, Receiver, respond, type TestDatabase } from 'testing';
import { readConfig } from '../../src/config/config.js';
import { Database } from '../../src/database/database.js';
import type { DeliveryTimes } from '../../src/events/attempt.js';
import { Delivery } from '../../src/events/delivery.js';
import { PostgresEventStore } from '../../src/events/postgres-event-store.js';
import { Poster } from '../../src/events/post.js';
import { aResource, aSlot, create } from '../support/bookings.js';
import { until } from '../support/until.js';
import { EventsFixture } from './events-fixture.js';

let receiver: Receiver;
let other: Receiver;

beforeEach(async () => {
  [receiver, other] = await Promise.all([Receiver.start(), Receiver.start()]);
});
afterEach(() => Promise.all([receiver.close(), other.close()]));

describe('Events', () => {
  let fixture: EventsFixture;
  beforeEach(async () => void (fixture = await EventsFixture.create()));
  afterEach(() => fixture.close());

  it('reach a receiver that rejects every third, resets and hangs, each once and in order', async () => {
    fixture.setEndpoints({ name: 'billing', url: receiver.url });
    let requests = 0;
    receiver.behaviour = (_, response, request) => {
      requests++;
      if (requests % 10 < 3) response.writeHead(503).end();
      else if (requests === 5) request.socket.resetAndDestroy();
      else if (requests !== 9) response.writeHead(200).end();
    };
    const service = await fixture.start({ WEBHOOKS_TIMEOUT_MS: '1500' });
    const rooms = Array.from({ length: 5 }, aResource);
    await Promise.all(
      rooms.map(async (room) => {
        for (let n = 0; n < 6; n++) await create(service.api, { slot: aSlot(room, n), n });
      }),
    );
    // Ten attempts fail, each of which doubles the pause before the next.
    await until(() => new Set(receiver.sequences).size === 30);
    expect(receiver.accepted).toHaveLength(30);
    for (const room of rooms) {
      const inRoom = receiver.accepted.filter(({ event }) => event.data.slot?.resource_id === room);
      expect(inRoom.map(({ event }) => event.data.n)).toEqual([0, 1, 2, 3, 4, 5]);
    }
  });

  it('are told elsewhere at once while one endpoint hangs', async () => {
    fixture.setEndpoints({ name: 'hangs', url: receiver.url }, { name: 'doors', url: other.url });
    receiver.behaviour = () => {};
    const service = await fixture.start();
    await create(service.api);
    await until(() => receiver.received.length === 1);
    const start = performance.now();
    for (let n = 0; n < 10; n++) await create(service.api, { n });
    await until(() => other.accepted.length === 11);
    // The one that hangs has ten seconds for its response.
    expect(performance.now() - start).toBeLessThan(8_000);
    expect(receiver.received.length).toBeLessThanOrEqual(11);
  });

  it('are told by a service that stops as long as it has time, and none of them twice', async () => {
    fixture.setEndpoints({ name: 'billing', url: receiver.url });
    receiver.behaviour = (_, response) => void setTimeout(() => response.writeHead(200).end(), 300);
    const service = await fixture.start();
    for (let n = 0; n < 4; n++) await create(service.api, { slot: aSlot('room', n), n });
    await until(() => receiver.received.length === 1);
    const start = performance.now();
    await service.close();
    // The one that hangs has ten seconds for its response.
    expect(performance.now() - start).toBeLessThan(8_000);
    expect(receiver.numbers).toEqual([0]);
    receiver.behaviour = respond(200);
    await fixture.start();
    await until(() => receiver.accepted.length === 4);
    expect(receiver.numbers).toEqual([0, 1, 2, 3]);
    expect(receiver.received).toHaveLength(4);
  });

  it('wait for a receiver that hangs no longer than a stop has time', async () => {
    fixture.setEndpoints({ name: 'billing', url: receiver.url });
    receiver.behaviour = () => {};
    const service = await fixture.start({ SHUTDOWN_TIMEOUT_MS: '300' });
    await create(service.api);
    await until(() => receiver.received.length === 1);
    const start = performance.now();
    await service.close();
    expect(performance.now() - start).toBeLessThan(8_000);
  });

  it('are told to endpoints that the file has later, and no more to those that it has lost', async () => {
    fixture.setEndpoints({ name: 'billing', url: receiver.url });
    const service = await fixture.start();
    await create(service.api, { n: 0 });
    await until(() => receiver.accepted.length === 1);
    fixture.setEndpoints({ name: 'first', url: other.url, from: 'first' });
    await until(() => other.accepted.length === 1);
    await create(service.api, { n: 1 });
    await until(() => other.accepted.length === 2);
    fixture.write('{"endpoints":');
    await until(() => service.logged.some((line) => line.includes('The endpoints read before stay.')));
    await create(service.api, { n: 2 });
    await until(() => other.accepted.length === 3);
    expect(receiver.accepted).toHaveLength(1);
    // It is told what it missed.
    fixture.setEndpoints({ name: 'billing', url: receiver.url }, { name: 'broken', url: 'nowhere' });
    await until(() => receiver.accepted.length === 3);
    // Those of different resources come in any order.
    expect(new Set(receiver.numbers)).toEqual(new Set([0, 1, 2]));
    const faults = service.logged.filter((line) => line.includes('entry 2 (broken)'));
    expect(faults).toHaveLength(1);
  });
});

it('A start without the file, or with one that is none, fails with one sentence', async () => {
  const fixture = await EventsFixture.create();
  await expect(fixture.start()).rejects.toThrow(/^the webhooks of \S+ cannot be used: ENOENT/);
  fixture.write('[]');
  await expect(fixture.start()).rejects.toThrow(
    /^the webhooks of \S+ cannot be used: it is not \{"endpoints": \[\.\.\.\]\}/,
  );
  await fixture.close();
});

describe('A delivery', () => {
  const endpoint = { name: 'billing', url: '', secrets: [Buffer.alloc(32)], from: 'first' as const, prefix: '' };
  let testDatabase: TestDatabase;
  let database: Database;
  let store: PostgresEventStore;
  let poster: Poster;

  beforeEach(async () => {
    Logger.overrideLogger(false);
    testDatabase = await createTestDatabase();
    database = new Database(readConfig({ DATABASE_URL: testDatabase.url }).database!);
    await database.prepare();
    store = new PostgresEventStore(database);
    poster = new Poster({ allowPrivate: true, timeout: 1_000 });
    await store.switchOn();
    await store.register('billing', 'first');
  });
  afterEach(async () => {
    poster.close();
    await database.close();
    await testDatabase.drop();
  });

  function deliver(times: Partial<DeliveryTimes>): Delivery {
    const tools = {
      store,
      poster,
      source: '/v1/bookings',
      owner: uuidv7(),
      times: { firstPause: 20, longestPause: 40, patience: 10_000, ...times },
      count: () => {},
      idle: () => {},
    };
    return new Delivery({ ...endpoint, url: receiver.url }, tools);
  }

  /** Notes a booking and gives it its sequence. */
  async function book(n: number, resourceId = 'room'): Promise<void> {
    await testDatabase.query(
      'INSERT INTO bookings (booking_id, resource_id, slot_start, slot_end, json) VALUES ($1, $2, $3, $4, $5)',
      [uuidv7(), resourceId, n, n + 1, `{"n":${n}}`],
    );
    await store.number();
  }

  it('tries one event until its time is over, parks it, and gives the next one as much', async () => {
    await book(0);
    await book(1);
    receiver.behaviour = respond(500);
    const delivery = deliver({ patience: 150 });
    const first = performance.now();
    while ((await store.parked('billing')).length === 0) {
      delivery.begin();
      await sleep(5);
    }
    expect(performance.now() - first).toBeGreaterThan(150);
    expect(new Set(receiver.received.map(({ event }) => event.data.n))).toEqual(new Set([0]));
    const second = performance.now();
    while ((await store.parked('billing')).length === 1) {
      delivery.begin();
      await sleep(5);
    }
    expect(performance.now() - second).toBeGreaterThan(120);
    expect(await store.parked('billing')).toMatchObject([
      { sequence: 1, reason: '500, for 0 hours', isDue: false },
      { sequence: 2 },
    ]);
    await delivery.stopped(0);
  });

  it('sends parked events again when that is asked for; what is refused again stays parked', async () => {
    for (let n = 0; n < 3; n++) await book(n);
    receiver.behaviour = respond(422);
    const delivery = deliver({});
    delivery.begin();
    await until(async () => (await store.parked('billing')).length === 3);
    await delivery.stopped(1_000);
    receiver.behaviour = ({ event }, response) => response.writeHead(event.data.n === 1 ? 422 : 200).end();
    expect(await store.retry('billing')).toBe(3);
    const again = deliver({});
    again.begin();
    await until(() => receiver.accepted.length === 2);
    await again.stopped(1_000);
    expect(await store.parked('billing')).toMatchObject([{ sequence: 2, isDue: false, reason: '422' }]);
    expect(receiver.numbers).toEqual([0, 2]);
    expect((await store.states())[0]).toMatchObject({ behind: 0, parked: 1 });
  });

  it('keeps an event parked whose second sending found the endpoint away for all its time', async () => {
    await book(0);
    await store.park('billing', { sequence: 1, previous: 0 }, 'skipped');
    await store.retry('billing');
    receiver.behaviour = respond(503);
    const delivery = deliver({ patience: 50 });
    await until(async () => {
      delivery.begin();
      return (await store.parked('billing'))[0]?.reason === '503, for 0 hours';
    });
    expect(await store.parked('billing')).toMatchObject([{ sequence: 1, isDue: false }]);
    await delivery.stopped(0);
  });

  it('sends the events of one resource one after the other, and those of others beside them', async () => {
    for (let n = 0; n < 4; n++) await book(n, 'one');
    for (let n = 10; n < 14; n++) await book(n, `other ${n}`);
    let open = 0;
    let most = 0;
    let isTogether = false;
    const inOne = new Set<number>();
    receiver.behaviour = ({ event }, response) => {
      const n = event.data.n!;
      most = Math.max(most, ++open);
      if (n < 10) isTogether ||= inOne.size > 0;
      if (n < 10) inOne.add(n);
      setTimeout(() => {
        open--;
        inOne.delete(n);
        response.writeHead(200).end();
      }, 20);
    };
    const delivery = deliver({});
    delivery.begin();
    await until(() => receiver.accepted.length === 8);
    await delivery.stopped(1_000);
    expect(isTogether).toBe(false);
    expect(most).toBeGreaterThan(1);
    expect(receiver.numbers.filter((n) => n! < 10)).toEqual([0, 1, 2, 3]);
  });

  it('sends one event alone to an endpoint that was away, and the others once that is acknowledged', async () => {
    for (let n = 0; n < 8; n++) await book(n, `room ${n}`);
    receiver.behaviour = respond(503);
    const delivery = deliver({});
    delivery.begin();
    await until(async () => (await store.states())[0]!.progress.attempts === 1);
    const before = receiver.received.length;
    await until(async () => {
      delivery.begin();
      return (await store.states())[0]!.progress.attempts === 4;
    });
    expect(receiver.received.slice(before).map(({ event }) => event.data.n)).toEqual([0, 0, 0]);
    receiver.behaviour = respond(200);
    await until(() => {
      delivery.begin();
      return receiver.accepted.length === 8;
    });
    await delivery.stopped(1_000);
    expect((await store.states())[0]).toMatchObject({ behind: 0, progress: { attempts: 0, failingSince: undefined } });
  });
});
