import { createTestDatabase, dropTestDatabase, Receiver, type TestDatabase } from 'testing';
import { create } from '../support/bookings.js';
import { runCommand } from '../support/run-command.js';
import { until } from '../support/until.js';
import { EventsFixture } from './events-fixture.js';

let fixture: EventsFixture;
let receiver: Receiver;
let server: TestDatabase;
/** Ids by sequence: a receiver responds 503 where a number that it has comes with another id. */
let known: Map<string, string>;

beforeEach(async () => {
  [fixture, receiver, server] = await Promise.all([EventsFixture.create(), Receiver.start(), createTestDatabase()]);
  known = new Map();
  receiver.behaviour = ({ event: { id, sequence } }, response) => {
    const isOther = known.has(sequence) && known.get(sequence) !== id;
    if (!isOther) known.set(sequence, id);
    response.writeHead(isOther ? 503 : 204).end();
  };
  fixture.setEndpoints({ name: 'billing', url: receiver.url });
});
afterEach(async () => {
  await fixture.close();
  await Promise.all([receiver.close(), server.drop()]);
});

const nameOf = ({ url }: TestDatabase): string => new URL(url).pathname.slice(1);

/** Copies a database that nobody uses. */
async function copy(from: string, to: string): Promise<void> {
  await server.query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${from}'`);
  await server.query(`CREATE DATABASE ${to} TEMPLATE ${from}`);
}

/** Books and waits for the events. */
async function book(count: number): Promise<void> {
  const service = await fixture.start();
  for (let n = 0; n < count; n++) {
    const expected = receiver.accepted.length + 1;
    await create(service.api);
    await until(() => receiver.accepted.length === expected);
  }
  await service.close();
}

/** Two bookings, a backup, two more, and the restore of the backup. */
async function restore(): Promise<void> {
  const [name, backup] = [nameOf(fixture.database), `${nameOf(server)}_backup`];
  await book(2);
  await copy(name, backup);
  await book(2);
  await dropTestDatabase(name);
  await copy(backup, name);
  await dropTestDatabase(backup);
}

const renumber = async (...words: string[]) =>
  (await runCommand('webhooks', ['renumber', ...words], fixture.env)).stdout;

const numbers = () => receiver.accepted.map(({ event }) => [Number(event.sequence), Number(event.previous)]);

describe('After a restore', () => {
  it('`webhooks renumber` keeps new events apart from those that receivers have', async () => {
    await restore();
    expect(await renumber()).toBe('The numbers of new events begin after 1000002.\n');
    await book(2);
    expect(numbers()).toEqual([
      [1, 0],
      [2, 1],
      [3, 2],
      [4, 3],
      [1_000_003, 2],
      [1_000_004, 1_000_003],
    ]);
    expect(receiver.received).toHaveLength(6);
  });

  it('`webhooks renumber --from SEQUENCE` gives events new numbers that were given numbers of before', async () => {
    await restore();
    const service = await fixture.start();
    const ids = [await create(service.api), await create(service.api)].map(({ booking_id: id }) => `created-${id}`);
    await until(() => receiver.received.length > 4);
    expect(receiver.accepted).toHaveLength(4);
    expect(await renumber('--from', '3')).toBe(
      'The numbers of new events begin after 1000004. Those from 3 on are sent again, with new numbers.\n',
    );
    await until(() => receiver.accepted.length === 6);
    expect(
      receiver.accepted
        .slice(4)
        .map(({ event }) => event.id)
        .toSorted(),
    ).toEqual(ids.toSorted());
    expect(
      numbers()
        .slice(4)
        .toSorted(([one], [two]) => one! - two!),
    ).toEqual([
      [1_000_003, 2],
      [1_000_004, 1_000_003],
    ]);
    await until(async () => {
      const { text } = await service.api.get('/metrics');
      return text.includes('webhook_endpoint_behind_events{endpoint="billing"} 0');
    });
  });
});
