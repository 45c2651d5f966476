import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { respond, ServiceProcess, temporaryFolder, until } from 'testing';
import { api } from '../support/api.js';
import { create } from '../support/bookings.js';
import { useEvents } from './events-fixture.js';
import { OddReceiver } from './odd-receivers.js';

const fixture = useEvents('each');

describe('Events of an endpoint that fails', () => {
  it('wait while one at a time is tried, and reach other endpoints meanwhile', async () => {
    fixture.setEndpoints({ name: 'billing', url: fixture.receiver.url }, { name: 'doors', url: fixture.other.url });
    fixture.receiver.behaviour = respond(500);
    const service = await fixture.start();
    await create(service.api, { n: 0 });
    await until(() => fixture.receiver.received.length > 0);
    for (let n = 1; n < 6; n++) await create(service.api, { n });
    await until(() => fixture.other.accepted.length === 6 && fixture.receiver.received.length >= 3);
    const metrics = async (): Promise<string> => (await service.api.get('/metrics')).text;
    expect(await metrics()).toMatch(/webhook_oldest_event_seconds\{endpoint="billing"\} \d/);
    expect(await metrics()).toMatch(/webhook_attempts_total\{endpoint="billing",outcome="retry"\} [1-9]/);
    expect(await metrics()).toContain('webhook_pending_events{endpoint="billing"} 6');
    expect(await metrics()).toContain('webhook_endpoint_up{endpoint="billing"} 0');
    fixture.receiver.behaviour = respond(200);
    await until(() => fixture.receiver.accepted.length === 6);
    await until(async () => (await metrics()).includes('webhook_endpoint_up{endpoint="billing"} 1'));
    expect(await metrics()).toContain('webhook_attempts_total{endpoint="billing",outcome="delivered"} 6');
    expect(await metrics()).toContain('webhook_dead_letters{endpoint="billing"} 0');
    expect(new Set(fixture.receiver.numbers).size).toBe(6);
    expect(fixture.other.received).toHaveLength(6);
    const turns = service.logged.map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(turns.filter((line) => line.startsWith('billing'))).toEqual([
      'billing fails, and is retried: 500.',
      'billing is back.',
    ]);
  });

  it('are no longer sent to a URL that responds 410, but to a new URL of the endpoint', async () => {
    const doors = { name: 'doors', url: fixture.other.url };
    fixture.setEndpoints({ name: 'billing', url: fixture.receiver.url }, doors);
    fixture.receiver.behaviour = respond(410);
    const service = await fixture.start();
    await create(service.api, { n: 0 });
    const metrics = async (): Promise<string> => (await service.api.get('/metrics')).text;
    await until(async () => (await metrics()).includes('webhook_endpoint_up{endpoint="billing"} -1'));
    await fixture.database.query('UPDATE webhook_endpoints SET due = now()');
    await create(service.api, { n: 1 });
    await until(() => fixture.other.accepted.length === 2);
    fixture.setEndpoints({ name: 'billing', url: fixture.other.url }, doors);
    await until(() => fixture.other.accepted.length === 4);
    expect(fixture.receiver.received).toHaveLength(1);
    expect(await metrics()).toContain('webhook_endpoint_up{endpoint="billing"} 1');
  });

  it('are delivered except a rejected one, which is a dead letter after three days', async () => {
    fixture.setEndpoints({ name: 'billing', url: fixture.receiver.url });
    const isRejected = (n: unknown) => n === 5;
    fixture.receiver.behaviour = ({ event }, response) =>
      response.writeHead(isRejected(event.data.n) ? 422 : 200).end();
    const service = await fixture.start();
    for (let n = 0; n < 12; n++) await create(service.api, { n });
    const attempts = () => fixture.receiver.received.filter(({ event }) => isRejected(event.data.n)).length;
    await until(() => fixture.receiver.accepted.length === 11 && attempts() > 2);
    const metrics = async (): Promise<string> => (await service.api.get('/metrics')).text;
    expect(await metrics()).toContain('webhook_dead_letters{endpoint="billing"} 0');
    await fixture.database.query(`UPDATE webhook_deliveries SET waiting_since = now() - interval '73 h'`);
    await until(async () => (await metrics()).includes('webhook_dead_letters{endpoint="billing"} 1'));
    expect(fixture.receiver.accepted).toHaveLength(11);
  });

  it('do not delay other endpoints, even if it hangs', async () => {
    fixture.setEndpoints({ name: 'hangs', url: fixture.receiver.url }, { name: 'doors', url: fixture.other.url });
    fixture.receiver.behaviour = () => {};
    const service = await fixture.start({ WEBHOOKS_TIMEOUT_MS: '60000' });
    for (let n = 0; n < 40; n++) await create(service.api, { n });
    await until(() => fixture.other.accepted.length === 40);
    expect(fixture.receiver.received).toHaveLength(16);
  });
});

describe('Receivers that respond oddly', () => {
  /** As many endpoints as a file may have. */
  const HALF = 16;
  let receivers: OddReceiver[];

  beforeEach(async () => void (receivers = await OddReceiver.startAll()));
  afterEach(() => receivers.forEach((receiver) => receiver.close()));

  it('get every event once they are well, and do not delay a stop', async () => {
    expect(receivers).toHaveLength(2 * HALF);
    for (const half of [receivers.slice(0, HALF), receivers.slice(HALF)]) await checkReceivers(half);
  });

  async function checkReceivers(half: readonly OddReceiver[]): Promise<void> {
    fixture.setEndpoints(...half.map(({ endpoint }) => endpoint));
    const service = await ServiceProcess.start({ ...fixture.env, WEBHOOKS_TIMEOUT_MS: '300' });
    const requests = api(service.url);
    await create(requests);
    await until(async () => {
      const metrics = await (await fetch(`${service.url}/metrics`)).text();
      return half.every(({ endpoint: { name }, outcome }) =>
        new RegExp(`^webhook_attempts_total{endpoint="${name}",outcome="${outcome}"} [1-9]`, 'm').test(metrics),
      );
    });
    for (const receiver of half) receiver.isWell = true;
    await until(async () => (await fixture.database.query('SELECT FROM webhook_deliveries')).length === 0);
    for (const { name, outcome, acknowledged } of half) {
      expect([name, acknowledged.size]).toEqual([name, outcome === 'delivered' ? 0 : 1]);
    }
    for (const receiver of half) Object.assign(receiver, { isWell: false, attempts: 0 });
    await create(requests);
    await until(() => half.every(({ attempts }) => attempts > 0));
    expect(await service.stop()).toEqual([0, null]);
    await fixture.database.query('TRUNCATE webhook_endpoints, webhook_deliveries');
  }
});

/** Runs the command in further arguments where the file in the first one replaces `/etc/resolv.conf`, which takes root. */
const WITH_RESOLVER = ['--mount', 'sh', '-c', 'mount --bind "$0" /etc/resolv.conf && exec "$@"'];
const canReplaceResolver = spawnSync('unshare', [...WITH_RESOLVER, '/etc/resolv.conf', 'true']).status === 0;
const ABOUT_NAMES = 'that are away delay neither another endpoint nor a connection to the database';
if (!canReplaceResolver) {
  process.stderr.write(
    `NOT RUN: Name servers ${ABOUT_NAMES}. This test needs root, and util-linux (unshare, mount).\n`,
  );
}

describe('Name servers', () => {
  const ADDRESS = '127.53.53.53';
  const nameServer = createSocket('udp4');
  const asked = new Set<string>();

  afterEach(() => nameServer.close());

  (canReplaceResolver ? it : it.skip)(ABOUT_NAMES, async () => {
    const [, threads] = /UV_THREADPOOL_SIZE=(\d+)/.exec(readFileSync('../../Dockerfile', 'utf8'))!;
    // The first label of the name begins after twelve bytes and its length.
    nameServer.on('message', (query) => asked.add(query.toString('latin1', 13, 13 + query[12]!)));
    await once(nameServer.bind(53, ADDRESS), 'listening');
    const resolver = join(temporaryFolder(), 'resolv.conf');
    // A lookup takes longer than this test.
    writeFileSync(resolver, `nameserver ${ADDRESS}\noptions timeout:30 attempts:5\n`);
    const away = Array.from({ length: 16 }, (_, n) => ({ name: `away-${n}`, url: `http://away-${n}.example/` }));
    const atHome = (url: string): string => url.replace('127.0.0.1', 'localhost');
    const doors = { name: 'doors', url: atHome(fixture.other.url) };
    fixture.other.behaviour = respond(204, { connection: 'close' });
    fixture.setEndpoints(...away.slice(1), doors);
    const database = { DATABASE_URL: atHome(fixture.database.url), UV_THREADPOOL_SIZE: threads! };
    const service = await ServiceProcess.start({ ...fixture.env, ...database }, [], 'main.js', [
      'unshare',
      ...WITH_RESOLVER,
      resolver,
    ]);
    const book = async () => (await api(service.url).post('/v1/bookings').send({})).status === 201;
    const bookOnNewConnection = async () => {
      await fixture.database.query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`);
      await until(book);
    };
    for (let n = 0; n < 20; n++) await book();
    await until(() => asked.size === 15);
    await bookOnNewConnection();
    await until(() => fixture.other.accepted.length >= 21);
    fixture.setEndpoints(...away);
    await until(async () => (await book()) && asked.size === 16);
    await bookOnNewConnection();
    // Node's exit waits for lookups.
    await service.stop('SIGKILL');
  });
});

describe('A service', () => {
  it('logs a failing database once, and sends nothing twice afterwards', async () => {
    const { service, held } = await fixture.startInFlight();
    await fixture.database.query('ALTER TABLE webhook_deliveries RENAME TO hidden');
    for (const response of held) response.writeHead(204).end();
    const faults = () => service.logged.filter((line) => line.includes('A statement for events failed: relation'));
    await until(() => faults().length > 0);
    expect((await service.api.get('/metrics')).text).not.toContain('webhook_endpoint_up{');
    await fixture.database.query(
      'ALTER TABLE hidden RENAME TO webhook_deliveries; UPDATE webhook_deliveries SET due = now()',
    );
    await until(async () => (await fixture.database.query('SELECT FROM webhook_deliveries')).length === 0);
    expect(fixture.receiver.received).toHaveLength(3);
    expect(faults()).toHaveLength(1);
  });

  it('finds events that were due long ago, and drops events without a booking', async () => {
    fixture.setEndpoints({ name: 'billing', url: fixture.receiver.url });
    await create((await fixture.start()).api);
    await until(() => fixture.receiver.accepted.length === 1);
    await fixture.database.query(`
      INSERT INTO bookings (booking_id, json) SELECT gen_random_uuid(), '{}' FROM generate_series(1, 40);
      UPDATE webhook_deliveries SET due = now() - interval '1 hour'
        WHERE id = ANY (ARRAY(SELECT id FROM webhook_deliveries LIMIT 5));
      INSERT INTO webhook_deliveries (endpoint, booking_id, type) VALUES ('billing', gen_random_uuid(), 'created')`);
    await until(() => fixture.receiver.accepted.length === 41);
    await until(async () => (await fixture.database.query('SELECT FROM webhook_deliveries')).length === 0);
  });
});
