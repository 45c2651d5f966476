import { Receiver } from 'testing';
import { migrate } from '../../src/database/migrations.js';
import { readConfig } from '../../src/config/config.js';
import { alterDatabase } from '../support/alter-database.js';
import { create } from '../support/bookings.js';
import { onServer } from '../support/pooled.js';
import { createRole, dropRole } from '../support/roles.js';
import { until } from '../support/until.js';
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

/** Books through two replicas at once, and waits for the events. */
async function expectDelivery(env: Record<string, string> = {}): Promise<void> {
  const services = [await fixture.start(env), await fixture.start(env)];
  await Promise.all(Array.from({ length: 60 }, (_, n) => create(services[n % 2]!.api, { n })));
  await until(() => new Set(receiver.numbers).size === 60);
  await until(async () => (await fixture.database.query('SELECT FROM webhook_deliveries')).length === 0);
  expect(receiver.received).toHaveLength(60);
}

describe('Events are delivered', () => {
  it.each(['repeatable read', 'serializable'])('where transactions are %s by default', async (level) => {
    await migrate(readConfig({ DATABASE_URL: onServer(fixture.database.url) }).database!);
    await alterDatabase(fixture.database, [`default_transaction_isolation = '${level}'`]);
    await expectDelivery();
  });

  it('where nobody may execute new functions but their owner', async () => {
    await fixture.database.query('ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC');
    const role = await createRole(fixture.database);
    await migrate(readConfig({ DATABASE_URL: onServer(fixture.database.url) }).database!, role.name);
    await expectDelivery({ DATABASE_URL: role.url });
    await fixture.stopServices();
    await dropRole(fixture.database, role.name);
  });
});
