import { EventsProcess, readContract } from 'verify-contract';
import { createTestDatabase, type TestDatabase } from 'testing';
import { localConsumers, localPactsOf, localPactsWith } from './local-pacts.js';
import { verifyEvents } from './verify.js';

const EVENTS = 'bookings-service-events';

const databases: TestDatabase[] = [];
afterAll(() => Promise.all(databases.map((database) => database.drop())));

async function createDatabase(): Promise<string> {
  const database = await createTestDatabase();
  databases.push(database);
  return database.url;
}

describe('The contracts of events', () => {
  it.each(localConsumers)('are there: run `pnpm turbo run pact:consumer` first: %s', (consumer) => {
    const pacts = localPactsOf(consumer, EVENTS);
    expect(pacts.length).toBeGreaterThan(0);
    for (const path of pacts) expect(() => readContract(path)).not.toThrow();
  });

  it('are kept by what the service sends', async () => {
    const pactUrls = localPactsWith(EVENTS);
    process.stdout.write(await verifyEvents(await EventsProcess.start({ createDatabase }), { pactUrls }));
  });
});
