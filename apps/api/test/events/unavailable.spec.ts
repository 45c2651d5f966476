import { Receiver, respond, until } from 'testing';
import { create } from '../support/bookings.js';
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
    // It receives what it missed.
    await until(async () => (await service.api.get('/metrics')).text.includes('\nwebhook_file_valid 0\n'));
    fixture.setEndpoints({ name: 'billing', url: receiver.url });
    await until(() => receiver.accepted.length === 3);
    // Those of different resources come in any order.
    expect(new Set(receiver.numbers)).toEqual(new Set([0, 1, 2]));
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
