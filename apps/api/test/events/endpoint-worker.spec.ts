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

  it('sends parked events again when an operator has them retried; what is rejected again stays parked', async () => {
    for (let n = 0; n < 3; n++) await fixture.book(n);
    receiver.behaviour = respond(422);
    const worker = fixture.worker();
    await runUntil(worker, async () => (await parked()).length === 3);
    receiver.behaviour = ({ event }, response) => response.writeHead(event.data.n === 1 ? 422 : 200).end();
    expect(await fixture.store.retry('billing')).toBe(3);
    await worker.run();
    expect(await parked()).toMatchObject([{ sequence: 2, isDue: false, reason: '422' }]);
    expect(receiver.numbers).toEqual([0, 2]);
    expect(await state()).toMatchObject({ behind: 0, parked: 1 });
  });

  it('delivers a skipped event that is retried once', async () => {
    await fixture.book(0);
    await fixture.book(1);
    await fixture.store.park('billing', { sequence: 1, previous: 0 }, 'skipped');
    await fixture.store.retry('billing');
    await fixture.worker().run();
    expect(receiver.numbers).toEqual([0, 1]);
  });

  it('keeps an event parked whose retries failed for all its time', async () => {
    await fixture.book(0);
    await fixture.store.park('billing', { sequence: 1, previous: 0 }, 'skipped');
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
    const first = fixture.worker().run();
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
  await fixture.testDatabase.query(
    `INSERT INTO bookings (booking_id, json) SELECT (lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000')::uuid, '{}'
      FROM generate_series(1, 600) AS n`,
  );
  await fixture.store.assignSequences();
  await fixture.worker().run();
  expect(receiver.accepted).toHaveLength(600);
  const saved = [0, ...fixture.store.saved.map(({ delivered }) => delivered)];
  const steps = saved.slice(1).map((delivered, index) => delivered - saved[index]!);
  expect(saved.at(-1)).toBe(600);
  expect(Math.max(...steps)).toBeLessThanOrEqual(256);
});
