import type { ServerResponse } from 'node:http';
import { Receiver, until } from 'testing';
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
});
