import { Webhook } from 'standardwebhooks';
import { aSecret, until } from 'testing';
import { databaseSettings } from '../../src/cli/with-database.js';
import { migrate } from '../../src/platform/database/migrations.js';
import { create } from '../support/bookings.js';
import { onServer } from '../support/pooled.js';
import { createRole, dropRole } from '../support/roles.js';
import { useEvents } from './events-fixture.js';

const { jest } = import.meta;

const fixture = useEvents('each');

describe('Events', () => {
  it('are signed with each secret of their endpoint, as Standard Webhooks', async () => {
    const secrets = [fixture.secret, aSecret(64)];
    fixture.setEndpoints({ name: 'billing', url: fixture.receiver.url, secrets });
    await create((await fixture.start()).api);
    await until(() => fixture.receiver.received.length === 1);
    const { headers, body } = fixture.receiver.received[0]!;
    for (const secret of secrets) {
      const event = new Webhook(secret).verify(body, headers as Record<string, string>);
      expect(event).toMatchObject({ source: '/v1/bookings' });
    }
  });

  it('are delivered once by two replicas, without a right to execute functions', async () => {
    fixture.setEndpoints({ name: 'billing', url: fixture.receiver.url });
    await fixture.database.query('ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC');
    const role = await createRole(fixture.database);
    await migrate(databaseSettings({ DATABASE_URL: onServer(fixture.database.url) }), role.name);
    const services = [await fixture.start({ DATABASE_URL: role.url }), await fixture.start({ DATABASE_URL: role.url })];
    await Promise.all(Array.from({ length: 60 }, (_, n) => create(services[n % 2]!.api, { n })));
    await until(async () => (await fixture.database.query('SELECT FROM webhook_deliveries')).length === 0);
    expect(new Set(fixture.receiver.numbers).size).toBe(60);
    expect(fixture.receiver.received).toHaveLength(60);
    await fixture.stopServices();
    await dropRole(fixture.database, role.name);
  });

  it('in flight may complete while the service stops', async () => {
    const { service, held } = await fixture.startInFlight();
    const closing = service.close();
    held[0]!.writeHead(204).end();
    await closing;
    const { database } = fixture;
    expect(await database.query('SELECT failures FROM webhook_endpoints')).toEqual([{ failures: 0 }]);
    expect(await database.query('SELECT FROM webhook_deliveries')).toHaveLength(2);
    expect(fixture.receiver.received).toHaveLength(3);
  });

  it('reach endpoints that are added to the file, and no longer those that are removed', async () => {
    fixture.setEndpoints({ name: 'billing', url: fixture.receiver.url });
    const service = await fixture.start();
    await create(service.api, { n: 0 });
    await until(() => fixture.receiver.accepted.length === 1);
    fixture.setEndpoints({ name: 'other', url: fixture.other.url });
    await until(async () => (await fixture.database.query('SELECT FROM webhook_endpoints')).length === 2);
    await create(service.api, { n: 1 });
    await until(() => fixture.other.accepted.length === 1);
    fixture.write('{"endpoints":');
    await until(() => service.logged.some((line) => line.includes('The previous endpoints stay in use.')));
    await create(service.api, { n: 2 });
    await until(() => fixture.other.accepted.length === 2);
    expect(fixture.other.numbers).not.toContain(0);
    expect(fixture.receiver.accepted).toHaveLength(1);
    // The metrics show what waits for an endpoint in no file.
    const { text } = await service.api.get('/metrics');
    expect(text).toContain('webhook_pending_events{endpoint="billing"} 2');
    expect(text).toMatch(/webhook_oldest_event_seconds\{endpoint="billing"\} \d/);
    expect(text).toContain('\nsettings_file_valid{setting="WEBHOOKS_FILE"} 0\n');
    fixture.setEndpoints({ name: 'billing', url: fixture.receiver.url });
    await until(() => fixture.receiver.accepted.length === 3);
    expect(new Set(fixture.receiver.numbers)).toEqual(new Set([0, 1, 2]));
  });
});

it('A service without a file warns of endpoints that are in none, and forgets them after a week', async () => {
  const withoutFile = { WEBHOOKS_FILE: '', WEBHOOKS_ALLOW_PRIVATE: '' };
  const service = await fixture.start(withoutFile);
  await fixture.database.query(`INSERT INTO webhook_endpoints (name, prefix) VALUES ('billing', ''), ('doors', '')`);
  await create(service.api, { n: 0 });
  await fixture.database.query(
    `UPDATE webhook_endpoints SET seen_at = now() - CASE name WHEN 'doors' THEN interval '8 days' ELSE '6 days' END`,
  );
  const waiting = () => fixture.database.query('SELECT endpoint FROM webhook_deliveries ORDER BY endpoint');
  expect(await waiting()).toContainEqual({ endpoint: 'billing' });
  const now = performance.now.bind(performance);
  const anHourLater = jest.spyOn(performance, 'now').mockImplementation(() => now() + 3_600_000);
  await until(async () => (await waiting()).length === 1);
  anHourLater.mockRestore();
  expect(await waiting()).toEqual([{ endpoint: 'billing' }]);
  const { logged } = await fixture.start(withoutFile);
  await until(() => logged.some((line) => line.includes('Endpoints that are in no file: 1 (billing).')));
});

it('A start with an invalid file fails with one sentence', async () => {
  fixture.write('[]');
  await expect(fixture.start()).rejects.toThrow(/^the webhooks file \S+ cannot be used: it must be \{"endpoints": /);
});
