import { respond, until } from 'testing';
import { UsageError } from '../../src/cli/command.js';
import { readArguments, webhooks } from '../../src/cli/webhooks-command.js';
import { create } from '../support/bookings.js';
import { runCommand } from '../support/run-command.js';
import { useEvents } from './events-fixture.js';

const fixture = useEvents('all');

const does = (...words: string[]) => webhooks(words, fixture.env);
/** @returns the message of the error that is thrown @throws Error if none is */
const failure = (...words: string[]): Promise<string> =>
  does(...words).then(
    (printed) => {
      throw new Error(`No error, but ${printed}`);
    },
    ({ message }: Error) => message,
  );

describe('The command for endpoints', () => {
  it('lists endpoints and failing events, retries them, and drops one', async () => {
    fixture.setEndpoints({ name: 'billing', url: fixture.receiver.url });
    fixture.receiver.behaviour = respond(500);
    const service = await fixture.start();
    const id = `created-${(await create(service.api, { n: 0 })).booking_id}`;
    const failures = async () =>
      (await fixture.database.query<{ failures: number }>('SELECT failures FROM webhook_endpoints'))[0]!.failures;
    await until(async () => (await failures()) >= 3);
    const time = String.raw`\d{4}-\d\d-\d\dT\S+Z`;
    expect(await does('list')).toMatch(
      new RegExp(
        String.raw`^billing: fails after \d+ attempts \(500\), next in \d+ s, 1 pending for up to \d+ s, 0 dead letters\n` +
          String.raw`( {2}${id}  since ${time}, \d+ attempts?, waits for the endpoint: 500\n)?$`,
      ),
    );
    fixture.receiver.behaviour = respond(204);
    expect(await does('retry', 'billing')).toBe('billing is retried now, with 0 dead letters.\n');
    await until(async () => (await fixture.database.query('SELECT FROM webhook_deliveries')).length === 0);
    expect(await does('list')).toBe('billing: up, 0 pending, 0 dead letters\n');

    await fixture.database.query(`INSERT INTO webhook_deliveries (endpoint, booking_id, type, due, attempts, last_error)
      SELECT 'billing', booking_id, 'created', NULL, 6, '422' FROM bookings`);
    expect(await does('list')).toMatch(
      new RegExp(String.raw`, 1 dead letter\n {2}${id}  since ${time}, 6 attempts, dead letter: 422\n$`),
    );
    expect(await does('retry', 'billing', id)).toBe(`billing is retried now, with ${id}.\n`);
    await until(() => fixture.receiver.accepted.length === 2);
    await fixture.database.query(`UPDATE webhook_endpoints SET ended_url = 'https://gone.example'`);
    expect(await failure('retry', 'billing', id)).toBe(`${id} has not failed for billing.`);
    const ended = await fixture.database.query('SELECT ended_url AS url FROM webhook_endpoints');
    expect(ended).toEqual([{ url: 'https://gone.example' }]);
    expect(await failure('drop', 'billing', id)).toBe(`billing has no undelivered event ${id}.`);
    await fixture.database.query(
      `INSERT INTO webhook_deliveries (endpoint, booking_id, type, due)
        SELECT 'billing', booking_id, 'created', NULL FROM bookings`,
    );
    expect(await does('drop', 'billing', id)).toBe(`${id} is dropped for billing.\n`);
  });

  it('pings an endpoint, and prints its response', async () => {
    expect(await does('ping', 'billing')).toMatch(/^billing responds 204, after \d+ ms\.\n$/);
    const { event, headers } = fixture.receiver.received.at(-1)!;
    expect(event).toMatchObject({ type: 'bookings.ping', id: headers['webhook-id'], data: {} });
    fixture.receiver.behaviour = respond(503);
    expect(await failure('ping', 'billing')).toMatch(/^billing responds 503, after \d+ ms\.$/);
    expect(await failure('ping', 'crm')).toBe('WEBHOOKS_FILE has no endpoint crm. It has billing.');
  });

  it('forgets an endpoint in no file, with all its events', async () => {
    expect(await failure('forget', 'billing')).toMatch(
      /^billing is in the file of a service seen in the last two minutes/,
    );
    await fixture.stopServices();
    await fixture.database.query(
      `INSERT INTO webhook_deliveries (endpoint, booking_id, type, due, attempts, last_error)
        SELECT 'billing', gen_random_uuid(), 'created', NULL, 6, '422' FROM generate_series(1, 10500)`,
    );
    await fixture.database.query(`UPDATE webhook_endpoints SET seen_at = now() - interval '3 min'`);
    const lines = (await does('list')).split('\n');
    expect(lines[0]).toBe('billing: up, 0 pending, at least 10000 dead letters, in the file of no running service');
    expect(lines).toHaveLength(102);
    expect(await does('retry', 'billing')).toBe('billing is retried now, with 10500 dead letters.\n');
    expect(await does('forget', 'billing')).toBe('billing is forgotten, with 10500 undelivered events.\n');
    expect(await failure('forget', 'billing')).toBe('endpoint billing is unknown.');
    expect(await does('list')).toBe('There are no endpoints yet.\n');
    expect(await failure('retry', 'billing')).toBe('endpoint billing is unknown.');
  });

  it.each([
    ['what it does', ['list'], { code: 0, stdout: 'There are no endpoints yet.\n', stderr: '' }],
    ['what failed', ['drop', 'crm', 'x'], { code: 1, stdout: '', stderr: 'Failed: endpoint crm is unknown.\n' }],
    ['its usage', [], { code: 1, stdout: '', stderr: expect.stringMatching(/^Usage: webhooks list\n/) as string }],
  ])('prints %s, and exits accordingly', async (_, words, printed) => {
    expect(await runCommand('webhooks', words, fixture.env)).toEqual(printed);
  });
});

describe('The arguments of the command for endpoints', () => {
  it.each([
    '',
    'list billing',
    'retry',
    'retry billing one two',
    'retry billing --since 2026-11-22',
    'replay billing',
    'drop billing',
    'forget',
    'ping billing --force',
  ])('are rejected: %j', (line) => {
    expect(() => readArguments(line.split(' ').filter((word) => word !== ''))).toThrow(UsageError);
  });
});
