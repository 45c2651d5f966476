import { createServer } from 'node:net';
import { runConformance } from '@booking-service/conformance';
import { listen } from 'testing';
import { EventsFixture } from '../events/events-fixture.js';
import { HANG, onResponse } from '../support/conformance.js';
import { createServingRole, dropRole } from '../support/roles.js';

it(
  'The conformance kit finds that a service on PostgreSQL, whose role owns nothing, keeps every level of the interface',
  async () => {
    const fixture = new EventsFixture();
    await fixture.open();
    const role = await createServingRole(fixture.database);
    // Reserves a port for the receiver of the kit: a connection of the service could take it.
    const place = await listen(createServer());
    fixture.setEndpoints({ name: 'conformance', url: place.url });
    const { url } = await fixture.start({ DATABASE_URL: role.url });
    await place.close();
    const events = { port: place.port, secret: fixture.secret };
    const { level, results } = await runConformance({ url, onResponse, events });
    await fixture.stopServices();
    await dropRole(fixture.database, role.name);
    await fixture.close();
    expect(level).toBe('events');
    // The run in memory checks these: they take 16 s and do not depend on the store.
    const skipped = ['limit.headers-time', 'limit.request-time'];
    expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(results.filter(({ outcome }) => outcome === 'skipped').map(({ id }) => id)).toEqual(skipped);
  },
  HANG,
);
