import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Receiver, respond } from 'testing';
import type { EndpointWorker } from '../../src/events/endpoint-worker.js';
import { until } from '../support/until.js';
import { WorkerFixture } from './worker-fixture.js';

let receiver: Receiver;
let fixture: WorkerFixture;

beforeEach(async () => {
  receiver = await Receiver.start();
  fixture = await WorkerFixture.create(receiver.url);
});
afterEach(async () => {
  await fixture.close();
  await receiver.close();
});

const parked = () => fixture.store.parked('billing');
const state = async () => (await fixture.store.states())[0]!;

/** Parks events that are not delivered yet, the first of them. */
async function parkAll(most = Infinity): Promise<void> {
  const { events } = await fixture.store.read('billing', { delivered: 0, previous: 0, ahead: [] }, '');
  for (const event of events.slice(0, most)) await fixture.store.park('billing', event, 'skipped');
}

/** Has a worker try again and again, as polls do. */
async function runUntil(worker: EndpointWorker, condition: () => boolean | Promise<boolean>): Promise<void> {
  await until(async () => {
    await worker.run();
    return condition();
  });
}

describe('A worker', () => {
  it('retries one event until its time is over, parks it, and gives the next one as much', async () => {
    await fixture.book(0);
    await fixture.book(1);
    receiver.behaviour = respond(500);
    const worker = fixture.worker({ maxEventAge: 150 });
    const first = performance.now();
    await runUntil(worker, async () => (await parked()).length === 1);
    expect(performance.now() - first).toBeGreaterThan(150);
    expect(new Set(receiver.received.map(({ event }) => event.data.n))).toEqual(new Set([0]));
    const second = performance.now();
    await runUntil(worker, async () => (await parked()).length === 2);
    expect(performance.now() - second).toBeGreaterThan(120);
    expect(await parked()).toMatchObject([{ sequence: 1, reason: '500, for 0 hours', isDue: false }, { sequence: 2 }]);
  });

  it('delivers a skipped event that is retried once', async () => {
    await fixture.book(0);
    await fixture.book(1);
    await parkAll(1);
    await fixture.store.retry('billing');
    await fixture.worker().run();
    expect(receiver.numbers).toEqual([0, 1]);
  });

  it('keeps an event parked whose retries failed for all its time', async () => {
    await fixture.book(0);
    await parkAll();
    await fixture.store.retry('billing');
    receiver.behaviour = respond(503);
    await runUntil(fixture.worker({ maxEventAge: 50 }), async () => (await parked())[0]?.reason === '503, for 0 hours');
    expect(await parked()).toMatchObject([{ sequence: 1, isDue: false }]);
  });

  it('sends the events of one resource one after the other, and those of others concurrently', async () => {
    for (let n = 0; n < 4; n++) await fixture.book(n, 'one');
    for (let n = 10; n < 14; n++) await fixture.book(n, `other ${n}`);
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
    await fixture.worker().run();
    expect(isTogether).toBe(false);
    expect(most).toBeGreaterThan(1);
    expect(receiver.numbers).toHaveLength(8);
    expect(receiver.numbers.filter((n) => n! < 10)).toEqual([0, 1, 2, 3]);
  });

  it('sends one event alone to an endpoint that failed, and the others once that is acknowledged', async () => {
    for (let n = 0; n < 8; n++) await fixture.book(n, `room ${n}`);
    receiver.behaviour = respond(503);
    const worker = fixture.worker();
    await worker.run();
    expect(await state()).toMatchObject({ progress: { failures: 1 } });
    const before = receiver.received.length;
    await runUntil(worker, async () => (await state()).progress.failures === 4);
    expect(receiver.received.slice(before).map(({ event }) => event.data.n)).toEqual([0, 0, 0]);
    receiver.behaviour = respond(200);
    await runUntil(worker, () => receiver.accepted.length === 8);
    expect(await state()).toMatchObject({ behind: 0, progress: { failures: 0, failingFor: undefined } });
  });
});

describe('An event that is rejected', () => {
  const reject = (...numbers: number[]): void => {
    receiver.behaviour = ({ event }, response) => response.writeHead(numbers.includes(event.data.n!) ? 422 : 200).end();
  };

  it('is tried again while those of its resource wait and others go on, and is parked at last', async () => {
    for (let n = 0; n < 3; n++) await fixture.book(n);
    reject(0);
    const worker = fixture.worker({ rejectionPauses: [300, 600_000] });
    await worker.run();
    expect(await state()).toMatchObject({ progress: { delivered: 3, failures: 0 }, behind: 3, parked: 0 });
    await runUntil(worker, () => receiver.received.length === 2);
    expect(receiver.received[1]!.at - receiver.received[0]!.at).toBeGreaterThan(290);
    await fixture.book(3);
    for (let n = 10; n < 12; n++) await fixture.book(n, `room ${n}`);
    await worker.run();
    expect(new Set(receiver.numbers)).toEqual(new Set([10, 11]));
    // Those that wait are no work.
    expect((await fixture.store.findWork()).endpoints).toEqual([]);
    await fixture.testDatabase.query('UPDATE webhook_parked SET due = now()');
    await runUntil(worker, () => receiver.accepted.length === 5);
    expect(receiver.numbers.slice(2)).toEqual([1, 2, 3]);
    expect(receiver.received.filter(({ event }) => event.data.n === 0)).toHaveLength(3);
    expect(await parked()).toMatchObject([{ sequence: 1, isDue: false, reason: '422' }]);
    expect(await state()).toMatchObject({ behind: 0, parked: 1 });
  });

  it('is delivered, and those after it, where it is taken at last, also by another process', async () => {
    for (let n = 0; n < 3; n++) await fixture.book(n);
    reject(0);
    const [one, other] = [fixture.worker(), fixture.worker()];
    await one.run();
    expect(receiver.received).toHaveLength(1);
    reject();
    await runUntil(other, () => receiver.accepted.length === 3);
    expect(receiver.numbers).toEqual([0, 1, 2]);
    expect(await parked()).toEqual([]);
    expect(await state()).toMatchObject({ behind: 0, oldest: undefined });
  });

  it('waits for its next attempt where the endpoint fails meanwhile', async () => {
    await fixture.book(0);
    reject(0);
    const worker = fixture.worker({ rejectionPauses: [200] });
    await worker.run();
    await fixture.book(1);
    receiver.behaviour = respond(503);
    await worker.run();
    expect(receiver.received.map(({ event }) => event.data.n)).toEqual([0]);
    receiver.behaviour = respond(200);
    await runUntil(worker, () => receiver.accepted.length === 2);
    expect(receiver.numbers).toEqual([0, 1]);
  });
});

describe('Events that are retried', () => {
  it('come before later ones of their resource; what is rejected again is parked again', async () => {
    for (let n = 0; n < 3; n++) await fixture.book(n);
    await parkAll();
    await fixture.book(3);
    receiver.behaviour = ({ event }, response) => response.writeHead(event.data.n === 1 ? 422 : 200).end();
    expect(await fixture.store.retry('billing')).toBe(3);
    await runUntil(fixture.worker(), () => receiver.accepted.length === 3);
    expect(receiver.numbers).toEqual([0, 2, 3]);
    expect(await parked()).toMatchObject([{ sequence: 2, isDue: false, reason: '422' }]);
    expect(await state()).toMatchObject({ behind: 0, parked: 1 });
  });

  it('are read and forgotten many at a time, and in the order of each resource', async () => {
    await fixture.bookMany(1_200, (n) => (n % 4 === 0 ? null : `room ${n % 40}`));
    await fixture.testDatabase.query(
      `INSERT INTO webhook_parked (endpoint, sequence, previous, lane, reason)
        SELECT 'billing', sequence, sequence - 1, coalesce(resource_id, booking_id::text), 'skipped'
        FROM booking_events JOIN bookings USING (booking_id)`,
    );
    expect(await fixture.store.retry('billing')).toBe(1_200);
    await fixture.worker().run();
    expect(receiver.sequences).toHaveLength(1_200);
    for (const events of byResource()) expect(events).toEqual(events.toSorted((one, other) => one - other));
    expect(await parked()).toEqual([]);
    // Each of which repeats no more than its events after a crash, and deletes them with one statement.
    expect(fixture.store.saved.length).toBeLessThan(40);
  });

  it('are forgotten where there is nothing to send', async () => {
    await fixture.book(0);
    await parkAll();
    await fixture.testDatabase.query('TRUNCATE booking_events');
    await fixture.store.retry('billing');
    await fixture.worker().run();
    expect(await fixture.testDatabase.query('SELECT FROM webhook_parked')).toEqual([]);
    expect((await fixture.store.findWork()).endpoints).toEqual([]);
  });
});

describe('A resource that is slow', () => {
  it('does not slow the others of its endpoint, and receives its events in order', async () => {
    await fixture.bookMany(400, (n) => (n % 6 === 0 ? 'slow' : `room ${n % 6}`));
    const held: ServerResponse[] = [];
    receiver.behaviour = ({ event }, response) =>
      event.data.slot!.resource_id === 'slow' ? held.push(response) : response.writeHead(200).end();
    const worker = fixture.worker({}, 20_000);
    const run = worker.run();
    await until(() => receiver.accepted.length === 334);
    expect(held).toHaveLength(1);
    expect((await state()).progress.delivered).toBeGreaterThan(200);
    receiver.behaviour = respond(200);
    held[0]!.writeHead(200).end();
    await run;
    await runUntil(worker, () => receiver.accepted.length === 400);
    for (const events of byResource()) expect(events).toEqual(events.toSorted((one, other) => one - other));
    expect(await state()).toMatchObject({ behind: 0, progress: { delivered: 400, ahead: [] } });
  });

  it('has its events sent in order by the next holder of the lease', async () => {
    await fixture.bookMany(200, (n) => (n % 2 === 0 ? 'slow' : `room ${n}`));
    const held: ServerResponse[] = [];
    receiver.behaviour = ({ event }, response) =>
      event.data.slot!.resource_id === 'slow' ? held.push(response) : response.writeHead(200).end();
    const first = fixture.worker({}, 20_000).run();
    await until(() => receiver.accepted.length === 100);
    await fixture.expireLease();
    receiver.behaviour = respond(200);
    await runUntil(fixture.worker(), () => new Set(receiver.sequences).size === 200);
    held[0]!.writeHead(200).end();
    await first;
    const slow = byResource().find((events) => events[0]! % 2 === 0)!;
    expect([...new Set(slow)]).toEqual([...new Set(slow)].toSorted((one, other) => one - other));
    await runUntil(fixture.worker(), async () => (await state()).behind === 0);
  });
});

/** Sequences of each resource, in the order in which they were accepted. */
function byResource(): number[][] {
  const sequences = new Map<string, number[]>();
  for (const { event } of receiver.accepted) {
    const resource = event.data.slot?.resource_id ?? event.id;
    sequences.set(resource, [...(sequences.get(resource) ?? []), Number(event.sequence)]);
  }
  return [...sequences.values()];
}

describe('The lease of a worker', () => {
  it('is released when everything is delivered', async () => {
    await fixture.book(0);
    expect(await fixture.worker().run()).toBe(true);
    await fixture.book(1);
    expect(await fixture.worker().run()).toBe(true);
    expect(receiver.numbers).toEqual([0, 1]);
  });

  it('is one worker’s at a time', async () => {
    await fixture.book(0);
    receiver.behaviour = () => {};
    const first = fixture.worker({}, 1_000).run();
    await until(() => receiver.received.length === 1);
    expect(await fixture.worker().run()).toBe(false);
    expect(receiver.received).toHaveLength(1);
    await first;
  });

  it('ends its attempts when it is lost; the next holder sends again what was not saved, and nothing else', async () => {
    for (let n = 0; n < 4; n++) await fixture.book(n, n < 2 ? 'room' : `room ${n}`);
    const held: ServerResponse[] = [];
    receiver.behaviour = ({ event }, response) =>
      event.data.n === 0 ? held.push(response) : response.writeHead(200).end();
    const first = fixture.worker({}, 20_000).run();
    await until(async () => (await state()).progress.ahead.length === 2);
    await fixture.expireLease();
    receiver.behaviour = respond(200);
    expect(await fixture.worker().run()).toBe(true);
    expect(receiver.numbers).toEqual([2, 3, 0, 1]);
    await Promise.race([first, sleep(5_000)]);
    held[0]!.writeHead(200).end();
    await first;
    expect(receiver.received).toHaveLength(5);
    expect(await state()).toMatchObject({ behind: 0, progress: { failures: 0 } });
  });

  it('is held through attempts that take longer than it lasts', async () => {
    const worker = fixture.worker({}, 10_000);
    await fixture.book(0);
    receiver.behaviour = (_, response) => void setTimeout(() => response.writeHead(200).end(), 6_000);
    const run = worker.run();
    await sleep(5_500);
    expect(await fixture.worker().run()).toBe(false);
    expect(await run).toBe(true);
    expect(receiver.numbers).toEqual([0]);
  });
});

it('A worker saves what was acknowledged after 128 events, so that a crash repeats no more than two batches', async () => {
  await fixture.bookMany(600, () => null);
  await fixture.worker().run();
  expect(receiver.accepted).toHaveLength(600);
  const saved = [0, ...fixture.store.saved.map(({ delivered }) => delivered)];
  const steps = saved.slice(1).map((delivered, index) => delivered - saved[index]!);
  expect(saved.at(-1)).toBe(600);
  expect(Math.max(...steps)).toBeLessThanOrEqual(256);
});
