import { createTestDatabase, type TestDatabase, until } from 'testing';
import { api } from '../support/api.js';
import { aKey, aResource, aSlot } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

/** As the migrations define them. */
const CONSTRAINTS = {
  slots_never_overlap: `EXCLUDE USING gist (hashtextextended(resource_id, 0) WITH =,
    int8range(slot_start, slot_end, '[)') WITH &&, resource_id WITH =) WHERE (resource_id IS NOT NULL)`,
  one_booking_for_a_key: 'UNIQUE (idempotency_key)',
};
/** Milliseconds that a machine which is busy with other things never takes. */
const LIMITS = { DATABASE_CONNECT_TIMEOUT_MS: '60000', DATABASE_STATEMENT_TIMEOUT_MS: '60000' };
/** More than go alone, so that some go in a group. */
const CALLERS = 12;

let database: TestDatabase;
let running: RunningApp;

beforeEach(async () => {
  database = await createTestDatabase();
  running = await startApp({ DATABASE_URL: database.url, ...LIMITS });
});
afterEach(async () => {
  await running.close();
  await database.drop();
});

/** The statuses of several creates at once, without repetitions. */
async function book(): Promise<number[]> {
  const create = async (): Promise<number> => {
    const payload = { slot: aSlot(aResource()) };
    const { status } = await api(running.url).post('/v1/bookings').set('Idempotency-Key', aKey()).send(payload);
    return status;
  };
  return [...new Set(await Promise.all(Array.from({ length: CALLERS }, create)))];
}

const isReady = async (): Promise<boolean> => (await fetch(`${running.url}/health/ready`)).ok;

it.each(Object.entries(CONSTRAINTS))(
  'A service books nothing while %s is missing, and logs once which it is',
  async (name, definition) => {
    expect(await book()).toEqual([201]);
    await until(isReady);
    await database.query(`ALTER TABLE bookings DROP CONSTRAINT ${name}`);
    expect(await book()).toEqual([503]);
    expect(await database.query('SELECT FROM bookings')).toHaveLength(CALLERS);
    await api(running.url).get('/v1/bookings').expect(200);
    await until(async () => !(await isReady()));
    await database.query(`ALTER TABLE bookings ADD CONSTRAINT ${name} ${definition}`);
    await until(isReady);
    expect(await book()).toEqual([201]);
    const lines = running.logged.map((line) => JSON.parse(line) as { msg: string });
    expect(lines.filter(({ msg }) => /ready/i.test(msg))).toMatchObject([
      { msg: 'Not ready', reason: expect.stringMatching(new RegExp(`lacks ${name}, .*"Restore a backup"`)) },
      { msg: 'Ready again' },
    ]);
  },
);
