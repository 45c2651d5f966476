import { respond, until } from 'testing';
import { create } from '../support/bookings.js';
import { useEvents } from './events-fixture.js';

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
    expect(await service.metrics()).toMatch(/webhook_oldest_event_seconds\{endpoint="billing"\} \d/);
    expect(await service.metrics()).toMatch(/webhook_attempts_total\{endpoint="billing",outcome="retry"\} [1-9]/);
    expect(await service.metrics()).toContain('webhook_pending_events{endpoint="billing"} 6');
    expect(await service.metrics()).toContain('webhook_endpoint_up{endpoint="billing"} 0');
    fixture.receiver.behaviour = respond(200);
    await until(() => fixture.receiver.accepted.length === 6);
    await until(async () => (await service.metrics()).includes('webhook_endpoint_up{endpoint="billing"} 1'));
    expect(await service.metrics()).toContain('webhook_attempts_total{endpoint="billing",outcome="delivered"} 6');
    expect(await service.metrics()).toContain('webhook_dead_letters{endpoint="billing"} 0');
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
    await until(async () => (await service.metrics()).includes('webhook_endpoint_up{endpoint="billing"} -1'));
    await fixture.database.query('UPDATE webhook_endpoints SET due = now()');
    await create(service.api, { n: 1 });
    await until(() => fixture.other.accepted.length === 2);
    fixture.setEndpoints({ name: 'billing', url: fixture.other.url }, doors);
    await until(() => fixture.other.accepted.length === 4);
    expect(fixture.receiver.received).toHaveLength(1);
    expect(await service.metrics()).toContain('webhook_endpoint_up{endpoint="billing"} 1');
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
    expect(await service.metrics()).toContain('webhook_dead_letters{endpoint="billing"} 0');
    await fixture.database.query(`UPDATE webhook_deliveries SET waiting_since = now() - interval '73 h'`);
    await until(async () => (await service.metrics()).includes('webhook_dead_letters{endpoint="billing"} 1'));
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
