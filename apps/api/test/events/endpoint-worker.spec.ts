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
  it.each([500, 422])(
    'sends others while one event fails with %i, and dead-letters it after three days',
    async (status) => {
      await fixture.book(12);
      respondTo(5, status);
      const worker = fixture.worker();
      await fixture.lookUntil(worker, () => receiver.accepted.length === 11 && attemptsAt(5) > 2);
      expect(await fixture.state()).toMatchObject({ pending: 1, deadLetters: 0 });
      await fixture.testDatabase.query(`UPDATE webhook_deliveries SET waiting_since = now() - interval '73 h'`);
      await fixture.lookUntil(worker, async () => (await fixture.state()).deadLetters === 1);
      expect(receiver.accepted).toHaveLength(11);
    },
  );

  it('sends nothing twice where the store fails after an acknowledgement', async () => {
    await fixture.book(3);
    const held: ServerResponse[] = [];
    receiver.behaviour = (_, response) => held.push(response);
    const worker = fixture.worker();
    worker.look();
    await until(() => held.length === 3);
    await fixture.testDatabase.query('ALTER TABLE webhook_deliveries RENAME TO hidden');
    for (const response of held) response.writeHead(204).end();
    await until(() => fixture.errors.length > 0);
    await fixture.testDatabase.query(
      'ALTER TABLE hidden RENAME TO webhook_deliveries; UPDATE webhook_deliveries SET due = now()',
    );
    await fixture.lookUntil(worker, async () => (await fixture.state()).pending === 0);
    expect(receiver.received).toHaveLength(3);
  });

  it('finds what was due long ago although new events keep coming', async () => {
    const worker = fixture.worker();
    worker.look();
    await fixture.book(40);
    await fixture.testDatabase.query(`UPDATE webhook_deliveries SET due = now() - interval '1 hour'
      WHERE booking_id IN (SELECT booking_id FROM bookings ORDER BY booking_id LIMIT 5)`);
    receiver.behaviour = (_, response) => void setTimeout(() => response.writeHead(200).end(), 20);
    await fixture.lookUntil(worker, () => receiver.accepted.length === 40);
  });

  it('records what ended while it is closed, and gives up what is in flight', async () => {
    await fixture.book(3);
    const held: ServerResponse[] = [];
    receiver.behaviour = (_, response) => held.push(response);
    const worker = fixture.worker();
    worker.look();
    await until(() => held.length === 3);
    const closing = worker.close(60_000);
    held[0]!.writeHead(204).end();
    await until(() => receiver.accepted.length === 1);
    await Promise.all([closing, worker.close(0)]);
    expect(await fixture.state()).toMatchObject({ pending: 2, failures: 0 });
  });
});
