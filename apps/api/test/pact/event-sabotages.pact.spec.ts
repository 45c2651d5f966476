import { EventsProcess } from 'verify-contract';
import { createTestDatabase, type TestDatabase } from 'testing';
import { localPactsOf, localPactsWith } from './local-pacts.js';
import { BROKEN, verifyEvents } from './verify.js';

const EVENTS = 'bookings-service-events';

const databases: TestDatabase[] = [];
afterAll(() => Promise.all(databases.map((database) => database.drop())));

async function createDatabase(): Promise<string> {
  const database = await createTestDatabase();
  databases.push(database);
  return database.url;
}

describe('The contracts of events', () => {
  it.each([
    ['a member of the event', '"type":"bookings.booking.created"', '"kind":"bookings.booking.created"'],
    ['a member of the booking', '"booking_id":', '"id":'],
    ['a member of the slot', '"resource_id":', '"resource":'],
    ['the data', '"data":', '"booking":'],
  ])('are broken where the service renames %s', async (_what, from, to) => {
    const change = (event: string): string => {
      expect(event).toContain(from);
      return event.replace(from, to);
    };
    const pactUrls = localPactsOf('examples/front-desk', EVENTS);
    await expect(verifyEvents(await EventsProcess.start({ createDatabase, change }), { pactUrls })).rejects.toThrow(
      BROKEN,
    );
  });

  it('are broken where the service sends nothing', async () => {
    const settings = { WEBHOOKS_FILE: '' };
    const silent = await EventsProcess.start({ createDatabase, settings, timeout: 500 });
    await expect(verifyEvents(silent, { pactUrls: localPactsWith(EVENTS) })).rejects.toThrow(BROKEN);
  });
});
