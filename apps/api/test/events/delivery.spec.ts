import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { aSecret, Receiver, respond, until } from 'testing';
import { readConfig } from '../../src/config/config.js';
import { migrate } from '../../src/platform/database/migrations.js';
import { create } from '../support/bookings.js';
import { onServer } from '../support/pooled.js';
import { createRole, dropRole } from '../support/roles.js';
import { EventsFixture } from './events-fixture.js';

let fixture: EventsFixture;
let receiver: Receiver;
let other: Receiver;

beforeEach(async () => {
  [fixture, receiver, other] = await Promise.all([EventsFixture.create(), Receiver.start(), Receiver.start()]);
});
afterEach(async () => {
  await fixture.close();
  await Promise.all([receiver.close(), other.close()]);
});

const countUp = (length: number) => Array.from({ length }, (_, n) => n);
const sorted = (numbers: readonly (number | undefined)[]) => numbers.toSorted((one, two) => one! - two!);

describe('Events', () => {
  it('are signed with each secret of their endpoint, as Standard Webhooks', async () => {
    const secrets = [fixture.secret, aSecret(64)];
    fixture.setEndpoints({ name: 'billing', url: receiver.url, secrets });
    await create((await fixture.start()).api);
    await until(() => receiver.received.length === 1);
    const { headers, body } = receiver.received[0]!;
    const verify = (secret: string, text: string) =>
      new Webhook(secret).verify(text, headers as Record<string, string>);
    for (const secret of secrets) expect(verify(secret, body)).toMatchObject({ source: '/v1/bookings' });
    expect(() => verify(aSecret(), body)).toThrow('No matching signature found');
    expect(() => verify(fixture.secret, `${body} `)).toThrow('No matching signature found');
  });

  it.each([500, 302, 404])('wait for an endpoint that responds %i, which is sent one at a time', async (status) => {
    fixture.setEndpoints({ name: 'billing', url: receiver.url }, { name: 'doors', url: other.url });
    receiver.behaviour = respond(status);
    const service = await fixture.start();
    await create(service.api, { n: 0 });
    await until(() => receiver.received.length > 0);
    for (let n = 1; n < 6; n++) await create(service.api, { n });
    await until(() => other.accepted.length === 6 && receiver.received.length >= 3);
    const metrics = async (): Promise<string> => (await service.api.get('/metrics')).text;
    expect(await metrics()).toMatch(/webhook_oldest_event_seconds\{endpoint="billing"\} \d/);
    expect(await metrics()).toMatch(/webhook_attempts_total\{endpoint="billing",outcome="retry"\} [1-9]/);
    expect(await metrics()).toContain('webhook_pending_events{endpoint="billing"} 6');
    expect(await metrics()).toContain('webhook_endpoint_up{endpoint="billing"} 0');
    receiver.behaviour = respond(200);
    await until(() => receiver.accepted.length === 6);
    await until(async () => (await metrics()).includes('webhook_endpoint_up{endpoint="billing"} 1'));
    expect(await metrics()).toContain('webhook_attempts_total{endpoint="billing",outcome="delivered"} 6');
    expect(await metrics()).toContain('webhook_dead_letters{endpoint="billing"} 0');
    expect(sorted(receiver.numbers)).toEqual(countUp(6));
    expect(other.received).toHaveLength(6);
    const turns = service.logged.map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(turns.filter((line) => line.startsWith('billing'))).toEqual([
      `billing fails, and is retried: ${status}.`,
      'billing is back.',
    ]);
  });

  it('are no longer sent to a URL that responds 410, but to another one of that endpoint', async () => {
    fixture.setEndpoints({ name: 'billing', url: receiver.url });
    receiver.behaviour = respond(410);
    const service = await fixture.start();
    await create(service.api, { n: 0 });
    const metrics = async (): Promise<string> => (await service.api.get('/metrics')).text;
    await until(async () => (await metrics()).includes('webhook_endpoint_up{endpoint="billing"} -1'));
    await create(service.api, { n: 1 });
    await sleep(600);
    expect(receiver.received).toHaveLength(1);
    fixture.setEndpoints({ name: 'billing', url: other.url });
    await until(() => other.accepted.length === 2);
    expect(sorted(other.numbers)).toEqual([0, 1]);
    expect(await metrics()).toContain('webhook_endpoint_up{endpoint="billing"} 1');
  });

  it('that wait for an endpoint in no file are shown, so that an alarm can say so', async () => {
    fixture.setEndpoints({ name: 'billing', url: receiver.url });
    const service = await fixture.start();
    fixture.setEndpoints({ name: 'doors', url: other.url });
    await until(async () => (await service.api.get('/metrics')).text.includes('{endpoint="doors"}'));
    await create(service.api, { n: 0 });
    await until(() => other.accepted.length === 1);
    const { text } = await service.api.get('/metrics');
    expect(text).toContain('webhook_pending_events{endpoint="billing"} 1');
    expect(text).toMatch(/webhook_oldest_event_seconds\{endpoint="billing"\} \d/);
    expect(receiver.received).toEqual([]);
  });

  it('are delivered, once, by two replicas, where nobody may execute new functions but their owner', async () => {
    fixture.setEndpoints({ name: 'billing', url: receiver.url });
    await fixture.database.query('ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC');
    const role = await createRole(fixture.database);
    await migrate(readConfig({ DATABASE_URL: onServer(fixture.database.url) }).database!, role.name);
    const services = [await fixture.start({ DATABASE_URL: role.url }), await fixture.start({ DATABASE_URL: role.url })];
    await Promise.all(Array.from({ length: 60 }, (_, n) => create(services[n % 2]!.api, { n })));
    await until(async () => (await fixture.database.query('SELECT FROM webhook_deliveries')).length === 0);
    expect(new Set(receiver.numbers).size).toBe(60);
    expect(receiver.received).toHaveLength(60);
    await fixture.stopServices();
    await dropRole(fixture.database, role.name);
  });

  it('are delivered to the others while one endpoint hangs', async () => {
    fixture.setEndpoints({ name: 'hangs', url: receiver.url }, { name: 'doors', url: other.url });
    receiver.behaviour = () => {};
    const service = await fixture.start({ WEBHOOKS_TIMEOUT_MS: '60000' });
    for (let n = 0; n < 40; n++) await create(service.api, { n });
    await until(() => other.accepted.length === 40);
    expect(receiver.received).toHaveLength(16);
  });

  it('are sent by a service that stops as long as it has time, and none of them twice', async () => {
    fixture.setEndpoints({ name: 'billing', url: receiver.url });
    receiver.behaviour = (_, response) => void setTimeout(() => response.writeHead(200).end(), 300);
    const service = await fixture.start();
    for (let n = 0; n < 4; n++) await create(service.api, { n });
    await until(() => receiver.received.length > 0);
    await service.close();
    expect(receiver.accepted).toHaveLength(receiver.received.length);
    receiver.behaviour = respond(200);
    await fixture.start();
    await until(() => receiver.accepted.length === 4);
    expect(receiver.received).toHaveLength(4);
  });

  it('are delivered to endpoints that are added to the file, and no longer to those that are removed', async () => {
    fixture.setEndpoints({ name: 'billing', url: receiver.url });
    const service = await fixture.start();
    await create(service.api, { n: 0 });
    await until(() => receiver.accepted.length === 1);
    fixture.setEndpoints({ name: 'first', url: other.url, from: 'first' });
    await until(() => other.accepted.length === 1);
    await create(service.api, { n: 1 });
    await until(() => other.accepted.length === 2);
    fixture.write('{"endpoints":');
    await until(() => service.logged.some((line) => line.includes('The previous endpoints stay in use.')));
    await create(service.api, { n: 2 });
    await until(() => other.accepted.length === 3);
    expect(receiver.accepted).toHaveLength(1);
    // An endpoint that comes back receives what it missed.
    await until(async () => (await service.api.get('/metrics')).text.includes('\nwebhook_file_valid 0\n'));
    fixture.setEndpoints({ name: 'billing', url: receiver.url });
    await until(() => receiver.accepted.length === 3);
    // Events of different resources come in any order.
    expect(new Set(receiver.numbers)).toEqual(new Set([0, 1, 2]));
  });
});

it('A service that cannot look for events says so in a line, and goes on once it can again', async () => {
  fixture.setEndpoints({ name: 'billing', url: other.url });
  const service = await fixture.start();
  await fixture.database.query('ALTER TABLE webhook_deliveries RENAME TO hidden');
  await until(() => service.logged.some((line) => line.includes('A statement for events failed: relation')));
  expect((await service.api.get('/metrics')).text).not.toContain('webhook_endpoint_up{');
  await fixture.database.query('ALTER TABLE hidden RENAME TO webhook_deliveries');
  await create(service.api);
  await until(() => other.accepted.length === 1);
  expect(service.logged.filter((line) => line.includes('A statement for events failed'))).toHaveLength(1);
});

it('A start without the file, or with an invalid one, fails with one sentence', async () => {
  await expect(fixture.start()).rejects.toThrow(/^the webhooks file \S+ cannot be used: ENOENT/);
  fixture.write('[]');
  await expect(fixture.start()).rejects.toThrow(
    /^the webhooks file \S+ cannot be used: it must be \{"endpoints": \[\.\.\.\]\}/,
  );
});
