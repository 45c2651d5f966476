import type { ServerResponse } from 'node:http';
import { Receiver, respond } from 'testing';
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

const respondTo = (n: number, status: number): void => {
  receiver.behaviour = ({ event }, response) => response.writeHead(event.data.n === n ? status : 200).end();
};
const attemptsAt = (n: number): number => receiver.received.filter(({ event }) => event.data.n === n).length;

describe('A worker', () => {
  it('sends one event alone to an endpoint that failed, and the others once that is acknowledged', async () => {
    await fixture.book(8);
    receiver.behaviour = respond(503);
    const worker = fixture.worker();
    await worker.run(true, false);
    expect(await fixture.state()).toMatchObject({ failures: 1, pending: 8, lastError: '503' });
    let most = 0;
    let inFlight = 0;
    receiver.behaviour = (_, response) => {
      most = Math.max(most, ++inFlight);
      setTimeout(() => {
        inFlight--;
        response.writeHead(503).end();
      }, 5);
    };
    await fixture.runUntil(worker, async () => (await fixture.state()).failures === 4);
    expect(most).toBe(1);
    receiver.behaviour = respond(200);
    await fixture.runUntil(worker, () => receiver.accepted.length === 8);
    expect(await fixture.state()).toMatchObject({ failures: 0, pending: 0 });
  });

  it('dead-letters an event that is rejected again and again, while others go on', async () => {
    await fixture.book(3);
    respondTo(1, 422);
    await fixture.runUntil(fixture.worker(), async () => (await fixture.state()).deadLetters === 1);
    expect([attemptsAt(0), attemptsAt(1), attemptsAt(2)]).toEqual([1, 3, 1]);
    expect(await fixture.state()).toMatchObject({ failures: 0, pending: 0 });
  });

  it('sends others while one event fails as if the endpoint did, and dead-letters that one after three days', async () => {
    await fixture.book(12);
    respondTo(5, 500);
    const worker = fixture.worker();
    await fixture.runUntil(worker, () => receiver.accepted.length === 11);
    expect(await fixture.state()).toMatchObject({ pending: 1 });
    await fixture.testDatabase.query(`UPDATE webhook_deliveries SET recorded_at = now() - interval '73 h'`);
    await fixture.runUntil(worker, async () => (await fixture.state()).deadLetters === 1);
    expect(receiver.accepted).toHaveLength(11);
  });

  it('sends 16 requests at a time and no more, of which Node does not warn', async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error): void => void warnings.push(warning);
    process.on('warning', warn);
    await fixture.book(40);
    const held: ServerResponse[] = [];
    receiver.behaviour = (_, response) => held.push(response);
    const run = fixture.worker().run(true, false);
    await until(() => held.length === 16);
    receiver.behaviour = respond(204);
    for (const response of held) response.writeHead(204).end();
    await run;
    process.off('warning', warn);
    expect(held).toHaveLength(16);
    expect(receiver.accepted).toHaveLength(40);
    expect(warnings).toEqual([]);
  });

  it('sends nothing twice where the store fails after an acknowledgement', async () => {
    await fixture.book(3);
    const held: ServerResponse[] = [];
    receiver.behaviour = (_, response) => held.push(response);
    const worker = fixture.worker();
    const run = worker.run(true, false);
    await until(() => held.length === 3);
    await fixture.testDatabase.query('ALTER TABLE webhook_deliveries RENAME TO hidden');
    for (const response of held) response.writeHead(204).end();
    await run;
    await fixture.testDatabase.query(
      'ALTER TABLE hidden RENAME TO webhook_deliveries; UPDATE webhook_deliveries SET due = now()',
    );
    await fixture.runUntil(worker, async () => (await fixture.state()).pending === 0);
    expect(receiver.received).toHaveLength(3);
  });

  it('leaves events to others that it gave up when it was closed, and no acknowledgement unsaved', async () => {
    await fixture.book(4);
    receiver.behaviour = ({ event }, response) => (event.data.n! < 2 ? response.writeHead(200).end() : undefined);
    const worker = fixture.worker();
    void worker.run(true, false);
    await until(() => receiver.received.length === 4 && receiver.accepted.length === 2);
    await worker.close(0);
    expect(await fixture.state()).toMatchObject({ failures: 0, pending: 2 });
    receiver.behaviour = respond(200);
    await fixture.testDatabase.query('UPDATE webhook_deliveries SET due = now()');
    await fixture.runUntil(fixture.worker(), () => receiver.accepted.length === 4);
    expect([attemptsAt(0), attemptsAt(1)]).toEqual([1, 1]);
  });

  it('finds what was due long ago although new events keep coming', async () => {
    await fixture.book(40);
    await fixture.testDatabase.query(`UPDATE webhook_deliveries SET due = now() - interval '1 hour' WHERE id <= 5`);
    const worker = fixture.worker();
    receiver.behaviour = (_, response) => void setTimeout(() => response.writeHead(200).end(), 20);
    const run = worker.run(false, false);
    await until(() => receiver.received.length > 0);
    void worker.run(true, false);
    await run;
    expect(receiver.accepted).toHaveLength(40);
  });

  it('sends the bookings from before an endpoint, a thousand at a time', async () => {
    await fixture.testDatabase.query(
      `DELETE FROM webhook_endpoints;
      INSERT INTO bookings (booking_id, json)
        SELECT (lpad(to_hex(n), 12, '0') || repeat('7', 20))::uuid, '{}' FROM generate_series(1, 2100) AS n;
      INSERT INTO webhook_endpoints (name, prefix, replayed_to, replay_until)
        VALUES ('billing', '', '00000000-0000-0000-0000-000000000000', now())`,
    );
    await fixture.worker().run(true, true);
    expect(new Set(receiver.accepted.map(({ event }) => event.id)).size).toBe(2_100);
    expect(receiver.received).toHaveLength(2_100);
    expect(await fixture.state()).toMatchObject({ isReplayed: false, pending: 0 });
  });
});
