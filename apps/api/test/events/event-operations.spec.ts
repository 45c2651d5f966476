import { createTestDatabase, type TestDatabase } from 'testing';
import { uuidv7 } from 'uuidv7';
import { Database } from '../../src/database/database.js';
import { EventOperations } from '../../src/events/event-operations.js';
import { EventStore } from '../../src/events/event-store.js';
import { openDatabase } from '../support/open-database.js';

const ENDPOINT = { name: 'doors', url: 'https://hooks.example', secrets: [], from: 'first' as const, prefix: '' };
const [OWNER, OTHER] = [uuidv7(), uuidv7()];

let testDatabase: TestDatabase;
let database: Database;
let store: EventStore;
let operations: EventOperations;

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  database = await openDatabase(testDatabase.url);
  store = new EventStore(database);
  operations = new EventOperations(database);
  await store.switchOn();
  await store.register(ENDPOINT);
});
afterEach(async () => {
  await database.close();
  await testDatabase.drop();
});

async function book(resource: string, id = uuidv7()): Promise<string> {
  await testDatabase.query(
    `INSERT INTO bookings (booking_id, resource_id, slot_start, slot_end, json) SELECT $1, $2, count(*), count(*) + 1, '{}' FROM bookings`,
    [id, resource],
  );
  await store.assignSequences();
  return id;
}

/** Has the endpoint receive everything up to a sequence. @param isKept whether its holder goes on */
async function deliver(delivered: number, isKept: boolean): Promise<boolean> {
  await store.claim(ENDPOINT, OWNER);
  const progress = { delivered, previous: delivered, ahead: [delivered + 2], failures: 3, failingFor: 60_000 };
  return store.save('doors', OWNER, { ...progress, pause: 60_000, endedUrl: undefined }, isKept);
}

describe('A replay', () => {
  it('begins with the sequence it is given, at once, and each event has the previous one that it had', async () => {
    for (const resource of ['room-1', 'hall', 'room-2', 'hall', 'room-3', 'hall']) await book(resource);
    await deliver(5, false);
    const room = { ...ENDPOINT, prefix: 'room-' };
    expect(await operations.replay(room, 5)).toBe(5);
    const claimed = await store.claim(room, OTHER);
    expect(claimed!.progress).toMatchObject({ delivered: 4, previous: 3, ahead: [] });
    const { events } = await store.read('doors', claimed!.progress, 'room-');
    expect(events).toMatchObject([{ sequence: 5, previous: 3 }]);
    expect(await operations.replay(ENDPOINT, 1)).toBe(4);
  });

  it('is none of what the endpoint has not received', async () => {
    for (let n = 0; n < 3; n++) await book('room');
    await deliver(2, false);
    expect(await operations.replay(ENDPOINT, 3)).toBeUndefined();
    expect(await operations.replay({ ...ENDPOINT, name: 'nobody' }, 1)).toBeUndefined();
    expect(await store.states()).toMatchObject([{ progress: { delivered: 2, ahead: [4] } }]);
  });

  it('stops whoever delivers, whose progress is not kept, before another one may begin', async () => {
    for (let n = 0; n < 3; n++) await book('room');
    expect(await deliver(3, true)).toBe(true);
    expect(await operations.replay(ENDPOINT, 2)).toBe(3);
    expect(await store.claim(ENDPOINT, OTHER)).toBeUndefined();
    const progress = { delivered: 3, previous: 3, ahead: [], failures: 0, failingFor: undefined };
    expect(await store.save('doors', OWNER, { ...progress, pause: 0, endedUrl: undefined }, true)).toBe(false);
    await testDatabase.query('UPDATE webhook_endpoints SET leased_until = now()');
    expect(await store.claim(ENDPOINT, OTHER)).toMatchObject({ progress: { delivered: 1, previous: 1 } });
  });

  it('since a time begins with the lowest sequence of what was created or deleted then', async () => {
    const at = (second: number): string => `019a${String(second).padStart(4, '0')}-0000-7000-8000-${'0'.repeat(12)}`;
    const timeOf = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
    for (const second of [1, 3, 2, 5]) await book('room', at(second));
    // As an operator leaves sequences out.
    await testDatabase.query('INSERT INTO booking_events VALUES (0, gen_random_uuid())');
    expect(await operations.firstSince(timeOf(at(2)))).toBe(2);
    expect(await operations.firstSince(timeOf(at(4)))).toBe(4);
    expect(await operations.firstSince(timeOf(at(6)))).toBeUndefined();
    await testDatabase.query('DELETE FROM bookings WHERE booking_id = $1', [at(1)]);
    await store.assignSequences();
    expect(await operations.firstSince(Date.now() - 60_000)).toBe(5);
  });
});

it('A parked event is dropped, one that is to be sent again is not', async () => {
  for (let n = 0; n < 2; n++) await book('room');
  const { events } = await store.read('doors', { delivered: 0, previous: 0, ahead: [] }, '');
  for (const event of events) await store.park('doors', event, '422');
  expect(await store.retry('doors', 2)).toBe(1);
  expect(await operations.drop('doors', 2)).toBe(false);
  expect(await operations.drop('doors', 1)).toBe(true);
  expect(await operations.drop('doors', 1)).toBe(false);
  expect(await store.parked('doors')).toMatchObject([{ sequence: 2 }]);
});

it('An endpoint is forgotten, with what is parked for it, once no service has it in its file', async () => {
  const event = { sequence: 1, previous: 0, bookingId: await book('room'), resourceId: 'room' };
  for (const endpoint of ['doors', 'others']) await store.park(endpoint, event, '422');
  await store.markSeen(['doors']);
  expect(await operations.forget('doors')).toBeUndefined();
  await testDatabase.query(`UPDATE webhook_endpoints SET seen_at = now() - interval '3 min'`);
  await store.claim(ENDPOINT, OWNER);
  expect(await operations.forget('doors')).toBeUndefined();
  await testDatabase.query('UPDATE webhook_endpoints SET leased_until = now()');
  expect(await operations.forget('doors')).toBe(1);
  expect(await store.states()).toEqual([]);
  expect(await testDatabase.query('SELECT endpoint FROM webhook_parked')).toEqual([{ endpoint: 'others' }]);
});
