import { createTestDatabase, type TestDatabase } from 'testing';
import { readConfig } from '../../src/config/config.js';
import { Database } from '../../src/database/database.js';
import { migrate } from '../../src/database/migrations.js';
import { api } from '../support/api.js';
import { aKey, aResource, aSlot } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';
import { until } from '../support/until.js';

/** As the migrations define them. */
const CONSTRAINTS = {
  slots_never_overlap: `EXCLUDE USING gist (hashtextextended(resource_id, 0) WITH =,
    int8range(slot_start, slot_end, '[)') WITH &&, resource_id WITH =) WHERE (resource_id IS NOT NULL)`,
  one_booking_for_a_key: 'UNIQUE (idempotency_key)',
};
const constraints = Object.entries(CONSTRAINTS);
/** Milliseconds that a machine which is busy with other things never takes. */
const LIMITS = { DATABASE_CONNECT_TIMEOUT_MS: '60000', DATABASE_STATEMENT_TIMEOUT_MS: '60000' };
/** More than go alone, so that some go in a group. */
const CALLERS = 12;

let database: TestDatabase;
let running: RunningApp;

beforeAll(async () => {
  database = await createTestDatabase();
  running = await startApp({ DATABASE_URL: database.url, ...LIMITS });
});
afterAll(async () => {
  await running.close();
  await database.drop();
});

const drop = (name: string) => database.query(`ALTER TABLE bookings DROP CONSTRAINT ${name}`);
const add = (name: string, definition: string) =>
  database.query(`ALTER TABLE bookings ADD CONSTRAINT ${name} ${definition}`);

/** The statuses of several creates at once, without repetitions. */
async function book(): Promise<number[]> {
  const create = async (): Promise<number> => {
    const payload = { slot: aSlot(aResource()) };
    const { status } = await api(running.url).post('/v1/bookings').set('Idempotency-Key', aKey()).send(payload);
    return status;
  };
  return [...new Set(await Promise.all(Array.from({ length: CALLERS }, create)))];
}

it.each(constraints)('A running service books nothing while %s is missing', async (name, definition) => {
  expect(await book()).toEqual([201]);
  const before = await database.query('SELECT FROM bookings');
  await drop(name);
  expect(await book()).toEqual([503]);
  expect(await database.query('SELECT FROM bookings')).toEqual(before);
  await api(running.url).get('/v1/bookings').expect(200);
  await add(name, definition);
  expect(await book()).toEqual([201]);
});

it('A running service is not ready while a constraint is missing, and logs once which one', async () => {
  const isReady = async (): Promise<boolean> => (await fetch(`${running.url}/health/ready`)).ok;
  await until(isReady);
  const linesBefore = running.logged.length;
  await drop('one_booking_for_a_key');
  await until(async () => !(await isReady()));
  await add('one_booking_for_a_key', CONSTRAINTS.one_booking_for_a_key);
  await until(isReady);
  expect(running.logged.slice(linesBefore).map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { msg: 'Not ready', reason: expect.stringMatching(/lacks one_booking_for_a_key, .*"Restore a backup"/) },
    { msg: 'Ready again' },
  ]);
});

describe.each([
  ...constraints.map(([name]) => [`without ${name}`, name, `ALTER TABLE bookings DROP CONSTRAINT ${name}`]),
  [
    'with a deferrable one_booking_for_a_key',
    'one_booking_for_a_key',
    `ALTER TABLE bookings DROP CONSTRAINT one_booking_for_a_key,
      ADD CONSTRAINT one_booking_for_a_key UNIQUE (idempotency_key) DEFERRABLE`,
  ],
  [
    'with another constraint named slots_never_overlap',
    'slots_never_overlap',
    `ALTER TABLE bookings DROP CONSTRAINT slots_never_overlap, ADD CONSTRAINT slots_never_overlap CHECK (true)`,
  ],
])('On a database %s', (_, name, change) => {
  it('a start and a migration are refused, with what to do', async () => {
    const changed = await createTestDatabase();
    const settings = readConfig({ DATABASE_URL: changed.url }).database!;
    await migrate(settings);
    await changed.query(change);
    const service = new Database(settings);
    await expect(service.prepare()).rejects.toThrow(
      new RegExp(`^the table bookings lacks ${name}, .*"Restore a backup" in docs/runbook.md`),
    );
    await service.close();
    await expect(migrate(settings)).rejects.toThrow(`the table bookings lacks ${name}`);
    await changed.drop();
  });
});
