import { rmSync } from 'node:fs';
import { Client } from 'pg';
import { Receiver, respond } from 'testing';
import { aSlot, create } from '../support/bookings.js';
import { runCommand } from '../support/run-command.js';
import { until } from '../support/until.js';
import { EventsFixture } from './events-fixture.js';

let fixture: EventsFixture;
let receiver: Receiver;

beforeAll(async () => {
  [fixture, receiver] = await Promise.all([EventsFixture.create(), Receiver.start()]);
});
afterAll(async () => {
  await fixture.close();
  await receiver.close();
});

/** What it prints. */
async function webhooks(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand('webhooks', words, fixture.env);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

/** What it prints when it fails. */
async function failure(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand('webhooks', words, fixture.env);
  expect([code, stdout]).toEqual([1, '']);
  return stderr;
}

describe('The command for endpoints', () => {
  it('says how it is used', async () => {
    expect(await failure()).toMatch(/^Usage: webhooks list\n/);
  });

  it('shows endpoints, skips the event that one is stopped at, sends it again, and pings', async () => {
    fixture.setEndpoints({ name: 'billing', url: receiver.url });
    receiver.behaviour = ({ event }, response) => response.writeHead(event.data.n === 1 ? 500 : 200).end();
    const service = await fixture.start();
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.push((await create(service.api, { slot: aSlot('room', n), n })).booking_id);
    await until(async () => / stopped after \d+ attempts/.test(await webhooks('list')));
    expect(await webhooks('list')).toMatch(
      /^billing: stopped after \d+ attempts, next in \d+ s, 2 behind since \S+Z, 0 parked, last attempt \S+Z: 500\n$/,
    );
    expect(await failure('skip', 'nobody')).toBe(
      'Failed: WEBHOOKS_FILE has no valid endpoint nobody. It has billing.\n',
    );
    expect(await webhooks('skip', 'billing')).toBe(`Event 2, booking ${ids[1]}, is parked for billing.\n`);
    await until(() => receiver.accepted.length === 2);
    expect(receiver.numbers).toEqual([0, 2]);
    await until(async () => (await webhooks('list')).startsWith('billing: up, 0 behind, 1 parked'));
    expect(await webhooks('list')).toMatch(new RegExp(`\\n  2  ${ids[1]}  parked \\S+Z: skipped\\n$`));
    expect(await failure('skip', 'billing')).toBe('Failed: billing is not stopped.\n');

    // An event that stops the endpoint when it is retried is the one that is skipped.
    expect(await webhooks('retry', 'billing', '2')).toBe('billing is retried now, with 1 parked events.\n');
    await until(async () => / stopped after \d+ attempts/.test(await webhooks('list')));
    await create(service.api, { slot: aSlot('room', 3), n: 3 });
    expect(await webhooks('skip', 'billing')).toBe(`Event 2, booking ${ids[1]}, is parked for billing.\n`);
    await until(() => receiver.accepted.length === 3);
    expect(receiver.numbers).toEqual([0, 2, 3]);

    receiver.behaviour = respond(200);
    expect(await webhooks('retry', 'billing')).toBe('billing is retried now, with 1 parked events.\n');
    await until(() => receiver.accepted.length === 4);
    expect(receiver.numbers).toEqual([0, 2, 3, 1]);
    // What came before it, when it was first sent.
    expect(receiver.accepted[3]!.event.previous).toBe('0000000000000000001');
    await until(async () => /^billing: up, 0 behind, 0 parked, last attempt \S+Z: 200\n$/.test(await webhooks('list')));
    expect(await failure('retry', 'billing', '2')).toBe('Failed: event 2 is not parked for billing.\n');
    expect(await failure('retry', 'nobody')).toBe(
      'Failed: WEBHOOKS_FILE has no valid endpoint nobody. It has billing.\n',
    );

    expect(await webhooks('ping', 'billing')).toMatch(/^billing responds 200, after \d+ ms\.\n$/);
    const { event, headers } = receiver.received.at(-1)!;
    expect(event).toMatchObject({ type: 'bookings.ping', id: headers['webhook-id'], data: {} });
    expect(event).not.toHaveProperty('sequence');
    receiver.behaviour = respond(503);
    expect(await failure('ping', 'billing')).toMatch(/^Failed: billing responds 503, after \d+ ms\.\n$/);
  });

  it('sends events again as they were, and drops one that is parked', async () => {
    receiver.behaviour = respond(200);
    const before = receiver.received.filter(({ event }) => event.sequence >= '0000000000000000003');
    const count = receiver.received.length;
    expect(await webhooks('replay', 'billing', '--from', '3')).toBe(
      'billing receives events 3 to 4 again, in order, except those that are parked.\n',
    );
    await until(() => receiver.received.length === count + 2);
    for (const { event, headers, body } of receiver.received.slice(count)) {
      const former = before.find((received) => received.event.id === event.id)!;
      expect(body).toBe(former.body);
      expect(headers['bookings-previous-sequence']).toBe(former.headers['bookings-previous-sequence']);
    }
    expect(await failure('replay', 'billing', '--since', '2999-01-01')).toBe(
      'Failed: there is no event since 2999-01-01T00:00:00.000Z.\n',
    );
    expect(await failure('forget', 'billing')).toMatch(/^Failed: services that run, .+ have billing in their file\./);
    await fixture.database.query(
      `INSERT INTO webhook_parked (endpoint, sequence, previous, reason) VALUES ('billing', 2, 1, '422')`,
    );
    expect(await webhooks('drop', 'billing', '2')).toBe('Event 2 is dropped: only a replay sends it to billing.\n');
  });

  it('says of a ping without an endpoint which there are, what is wrong with others, and which file has none', async () => {
    const failed = 'Failed: WEBHOOKS_FILE';
    fixture.setEndpoints({ name: 'billing', url: receiver.url }, { name: 'crm', url: 'crm.example' });
    const [it, fault] = ['It has billing.', 'Not valid: entry 2 (crm): `url` must be a URL.'];
    expect(await failure('ping', 'crm')).toBe(`${failed} has no valid endpoint crm. ${it} ${fault}\n`);
    fixture.setEndpoints();
    expect(await failure('ping', 'crm')).toBe(`${failed} has no valid endpoint crm. It has none.\n`);
    rmSync(fixture.env['WEBHOOKS_FILE']!);
    expect(await failure('ping', 'crm')).toMatch(/^Failed: WEBHOOKS_FILE \(.+\): ENOENT: .+\n$/);
  });

  it('switches events off once no service sends them, or by force', async () => {
    expect(await failure('off')).toMatch(
      /^Failed: services that run, or did two minutes ago, send to billing\. Restart them/,
    );
    expect(await webhooks('off', '--force')).toBe('Bookings are no longer noted.\n');
    expect(await webhooks('off', '--force')).toBe('Bookings were not noted.\n');
    await fixture.stopServices();
    await fixture.database.query(
      `INSERT INTO booking_events SELECT n, gen_random_uuid() FROM generate_series(5, 1005) AS n`,
    );
    await fixture.database.query(
      `INSERT INTO webhook_parked (endpoint, sequence, previous, reason) SELECT 'billing', n, n - 1, '422' FROM generate_series(5, 1005) AS n`,
    );
    await fixture.database.query(`UPDATE webhook_endpoints SET seen_at = now() - interval '3 min'`);
    expect(await webhooks('list')).toMatch(
      /^billing: up, .+, 1001 parked, last attempt .+, in the file of no running service\n {2}the first 1000 of 1001 events that are parked or sent again:\n {2}5 /,
    );
    expect(await webhooks('forget', 'billing')).toBe('billing is forgotten, with 1001 parked events.\n');
    const holder = new Client({ connectionString: fixture.database.url });
    await holder.connect();
    try {
      await holder.query('BEGIN; LOCK TABLE bookings IN SHARE UPDATE EXCLUSIVE MODE');
      expect(await failure('on')).toMatch(
        /^Failed: process \d+ of the database \(ShareUpdateExclusiveLock\) holds the table bookings\. Run/,
      );
    } finally {
      await holder.end();
    }
    expect(await webhooks('on')).toBe('Bookings are noted from now on.\n');
    expect(await webhooks('off')).toBe('Bookings are no longer noted.\n');
  });
});
