import { Receiver, until } from 'testing';
import { migrate } from '../../src/platform/database/migrations.js';
import { readConfig } from '../../src/config/config.js';
import { create } from '../support/bookings.js';
import { onServer } from '../support/pooled.js';
import { createRole, dropRole } from '../support/roles.js';
import { EventsFixture } from './events-fixture.js';

let fixture: EventsFixture;
let receiver: Receiver;

beforeEach(async () => {
  [fixture, receiver] = await Promise.all([EventsFixture.create(), Receiver.start()]);
  fixture.setEndpoints({ name: 'billing', url: receiver.url });
});
afterEach(async () => {
  await fixture.close();
  await receiver.close();
});

it('Events are delivered, once, by two replicas, where nobody may execute new functions but their owner', async () => {
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
