import { createTestDatabase, sqlOf, type TestDatabase } from 'testing';
import { api } from '../support/api.js';
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
