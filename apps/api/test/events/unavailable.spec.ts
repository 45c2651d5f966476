import { Receiver, respond } from 'testing';
import { create } from '../support/bookings.js';
import { until } from '../support/until.js';
import { EventsFixture } from './events-fixture.js';

let receiver: Receiver;
let other: Receiver;

beforeEach(async () => {
  [receiver, other] = await Promise.all([Receiver.start(), Receiver.start()]);
});
afterEach(() => Promise.all([receiver.close(), other.close()]));

describe('Events', () => {
  let fixture: EventsFixture;
  beforeEach(async () => void (fixture = await EventsFixture.create()));
  afterEach(() => fixture.close());

  it('reach a receiver that rejects every third, resets and hangs, each once', async () => {
    fixture.setEndpoints({ name: 'billing', url: receiver.url });
    let requests = 0;
    receiver.behaviour = (_, response, request) => {
      requests++;
      if (requests % 10 < 3) response.writeHead(503).end();
      else if (requests === 5) request.socket.resetAndDestroy();
      else if (requests !== 9) response.writeHead(200).end();
    };
    const service = await fixture.start({ WEBHOOKS_TIMEOUT_MS: '1500' });
    await Promise.all(Array.from({ length: 30 }, (_, n) => create(service.api, { n })));
    // Ten attempts fail, each of which doubles the pause before the next.
    await until(() => new Set(receiver.numbers).size === 30);
    expect(receiver.accepted).toHaveLength(30);
  });

  it('are delivered to the others at once while one endpoint hangs', async () => {
    fixture.setEndpoints({ name: 'hangs', url: receiver.url }, { name: 'doors', url: other.url });
    receiver.behaviour = () => {};
    const service = await fixture.start();
    await create(service.api);
    await until(() => receiver.received.length === 1);
    const start = performance.now();
    for (let n = 0; n < 10; n++) await create(service.api, { n });
    await until(() => other.accepted.length === 11);
    // The one that hangs has ten seconds for its response.
    expect(performance.now() - start).toBeLessThan(8_000);
    expect(receiver.received.length).toBeLessThanOrEqual(11);
  });

  it('are sent by a service that stops as long as it has time, and none of them twice', async () => {
    fixture.setEndpoints({ name: 'billing', url: receiver.url });
    receiver.behaviour = (_, response) => void setTimeout(() => response.writeHead(200).end(), 300);
    const service = await fixture.start();
    for (let n = 0; n < 4; n++) await create(service.api, { n });
    await until(() => receiver.received.length > 0);
    const start = performance.now();
    await service.close();
    // The one that hangs has ten seconds for its response.
    expect(performance.now() - start).toBeLessThan(8_000);
    expect(receiver.accepted).toHaveLength(receiver.received.length);
    receiver.behaviour = respond(200);
    await fixture.start();
    await until(() => receiver.accepted.length === 4);
    expect(receiver.received).toHaveLength(4);
  });

  it('wait for a receiver that hangs no longer than a stop has time', async () => {
    fixture.setEndpoints({ name: 'billing', url: receiver.url });
    receiver.behaviour = () => {};
    const service = await fixture.start({ SHUTDOWN_TIMEOUT_MS: '300' });
    await create(service.api);
    await until(() => receiver.received.length === 1);
    const start = performance.now();
    await service.close();
    expect(performance.now() - start).toBeLessThan(8_000);
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
    // It receives what it missed.
    fixture.setEndpoints({ name: 'billing', url: receiver.url }, { name: 'broken', url: 'nowhere' });
    await until(() => receiver.accepted.length === 3);
    // Those of different resources come in any order.
    expect(new Set(receiver.numbers)).toEqual(new Set([0, 1, 2]));
    const faults = service.logged.filter((line) => line.includes('entry 2 (broken)'));
    expect(faults).toHaveLength(1);
  });

  it('are delivered by the last valid form of an entry with a fault, which a gauge counts', async () => {
    fixture.setEndpoints({ name: 'billing', url: receiver.url });
    const service = await fixture.start();
    const metrics = async (): Promise<string> => (await service.api.get('/metrics')).text;
    expect(await metrics()).toMatch(/^webhook_file_errors 0$/m);
    fixture.setEndpoints({ name: 'billing', url: receiver.url, secrets: [fixture.secret, 'whsec_typo'] });
    await until(() => service.logged.some((line) => line.includes('Its last valid form stays in use.')));
    await create(service.api, { n: 0 });
    await until(() => receiver.accepted.length === 1);
    expect(await metrics()).toMatch(/^webhook_file_errors 1$/m);
    expect(await metrics()).toMatch(/^webhook_endpoint_up\{endpoint="billing"\} 1$/m);
    fixture.write('');
    await until(async () => (await metrics()).includes('\nwebhook_file_errors 2\n'));
    fixture.setEndpoints({ name: 'billing', url: receiver.url });
    await until(async () => (await metrics()).includes('\nwebhook_file_errors 0\n'));
    fixture.setEndpoints();
    // Alerts are raised for endpoints that have attempts and no state.
    await until(async () => !(await metrics()).includes('endpoint="billing"'));
  });
});

it('A service that cannot look for events says so in a line, and goes on once it can again', async () => {
  const fixture = await EventsFixture.create();
  try {
    fixture.setEndpoints({ name: 'billing', url: other.url });
    const service = await fixture.start();
    await fixture.database.query('ALTER TABLE webhook_deliveries RENAME TO hidden');
    await until(() => service.logged.some((line) => line.includes('A statement for events failed: relation')));
    expect((await service.api.get('/metrics')).text).not.toContain('webhook_endpoint_up{');
    await fixture.database.query('ALTER TABLE hidden RENAME TO webhook_deliveries');
    await create(service.api);
    await until(() => other.accepted.length === 1);
    expect(service.logged.filter((line) => line.includes('A statement for events failed'))).toHaveLength(1);
  } finally {
    await fixture.close();
  }
});

it('A start without the file, or with an invalid one, fails with one sentence', async () => {
  const fixture = await EventsFixture.create();
  await expect(fixture.start()).rejects.toThrow(/^the webhooks file \S+ cannot be used: ENOENT/);
  fixture.write('[]');
  await expect(fixture.start()).rejects.toThrow(
    /^the webhooks file \S+ cannot be used: it must be \{"endpoints": \[\.\.\.\]\}/,
  );
  await fixture.close();
});
