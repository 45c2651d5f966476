import { readFileSync } from 'node:fs';
import { createTestDatabase, sqlOf, type TestDatabase } from 'testing';
import { api } from '../support/api.js';
import { aResource, aSlot } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';
import { aBooking } from '../bookings/arbitrary-bookings.js';

let database: TestDatabase;
let running: RunningApp | undefined;

beforeEach(async () => void (database = await createTestDatabase()));
afterEach(async () => {
  await running?.close();
  running = undefined;
  await database.drop();
});

/** Every index and constraint, as the database describes it. */
const schema = () =>
  database.query<{ definition: string }>(`
    SELECT indexdef AS definition FROM pg_indexes WHERE tablename = 'bookings'
    UNION ALL SELECT conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'bookings'::regclass
    ORDER BY 1`);

it('The repair of the runbook lists what is booked twice, and leads back to the whole schema', async () => {
  running = await startApp({ DATABASE_URL: database.url });
  await running.close();
  const whole = await schema();
  // What a restore without the extension leaves out, and one that had bookings meanwhile.
  await database.query('DROP EXTENSION btree_gist CASCADE');
  await database.query('ALTER TABLE bookings DROP CONSTRAINT one_booking_for_a_key');
  const insert = async (resource: string, start: number, end: number, key: string): Promise<string> => {
    const { bookingId, slot, json } = aBooking({ resource, start, end });
    const values = [bookingId, resource, slot!.start, slot!.end, json, key];
    await database.query(`INSERT INTO bookings VALUES ($1, $2, $3, $4, $6, 'fingerprint', $5)`, values);
    return bookingId;
  };
  await insert('room', 9, 17, 'a');
  const double = [await insert('room', 10, 11, 'b'), await insert('room', 12, 13, 'c')];
  await insert('room', 17, 18, 'd');
  await insert('hall', 9, 10, 'e');
  const sameKey = [await insert('hall', 12, 13, 'f'), await insert('hall', 14, 15, 'f')];

  const [list, repair] = sqlOf('runbook.md', 'A constraint is missing');
  const [slots, keys] = list!.split(/;$/m);
  const overlapping = await database.query<{ booking_id: string }>(slots!);
  expect(overlapping.map(({ booking_id }) => booking_id)).toEqual(double);
  expect(await database.query(keys!)).toEqual([{ idempotency_key: 'f', array_agg: sameKey }]);
  await expect(database.query(repair!)).rejects.toThrow('could not create');
  await database.query('DELETE FROM bookings WHERE booking_id = ANY($1)', [[...double, sameKey[1]]]);
  await database.query(repair!);
  running = await startApp({ DATABASE_URL: database.url });
  expect(await schema()).toEqual(whole);
  await api(running.url).get('/v1/bookings').expect(200);
});

describe('The rollback of docs/runbook.md', () => {
  const migrationFile = (name: string): string =>
    readFileSync(new URL(`../../migrations/${name}`, import.meta.url), 'utf8');

  it('leads from the newest schema to that of 0003, with the bookings in it, and forth again', async () => {
    running = await startApp({ DATABASE_URL: database.url });
    await api(running.url)
      .post('/v1/bookings')
      .send({ slot: aSlot(aResource()) })
      .expect(201);
    await running.close();
    running = undefined;
    await database.query('SELECT switch_events_on()');
    const now = await schema();
    for (const file of [
      '0008_deferred_events.sql',
      '0007_endpoint_reports.sql',
      '0006_booking_deletions.sql',
      '0005_booking_events.sql',
      '0004_lists_by_distance.sql',
    ]) {
      for (const statement of sqlOf('runbook.md', file).join('\n').split(/;$/m)) await database.query(statement);
    }
    const before = await schema();
    expect(before).not.toEqual(now);
    const left = `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
      UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prolang <> 13 AND prolang <> 12
      UNION ALL SELECT tgname FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1`;
    expect(await database.query(left)).toEqual(
      ['bookings', 'rate_limits', 'schema_migrations'].map((name) => ({ name })),
    );
    const fresh = await createTestDatabase();
    for (const file of ['0001_bookings.sql', '0002_rate_limits.sql', '0003_slots_by_hash.sql']) {
      await fresh.query(migrationFile(file));
    }
    const back = database;
    database = fresh;
    const asWasMade = await schema();
    database = back;
    await fresh.drop();
    expect(before).toEqual(asWasMade);
    expect(await database.query('SELECT max(version) AS version FROM schema_migrations')).toEqual([{ version: 3 }]);
    running = await startApp({ DATABASE_URL: database.url });
    expect(await schema()).toEqual(now);
    await api(running.url).get('/v1/bookings').expect(200);
  });
});
