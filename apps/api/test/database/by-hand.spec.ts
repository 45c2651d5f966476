import { readFileSync } from 'node:fs';
import { createTestDatabase, type TestDatabase } from 'testing';
import { api } from '../support/api.js';
import { aKey, aResource, aSlot } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

/** The SQL that a page of the documentation has below a heading. */
function sqlOf(page: string, heading: string): string[] {
  const text = readFileSync(new URL(`../../../../docs/${page}`, import.meta.url), 'utf8');
  const [, section] = new RegExp(`^#+ ${heading}\\n(.*?)(?=^#|(?![^]))`, 'ms').exec(text)!;
  return [...section!.matchAll(/```sql\n(.*?)```/gs)].map(([, sql]) => sql!);
}

let database: TestDatabase;
let running: RunningApp | undefined;

beforeEach(async () => void (database = await createTestDatabase()));
afterEach(async () => {
  await running?.close();
  running = undefined;
  await database.drop();
});

describe('The statement of the runbook that frees a slot', () => {
  it('shows one booking and deletes it; then its slot and its key are free, and no other booking is touched', async () => {
    running = await startApp({ DATABASE_URL: database.url });
    const service = api(running.url);
    const [resource, key] = [aResource(), aKey()];
    const book = (slot: object) => service.post('/v1/bookings').set('Idempotency-Key', key).send({ slot });
    const slot = aSlot(resource);
    const { body: freed } = await book(slot).expect(201);
    const { body: other } = await service
      .post('/v1/bookings')
      .send({ slot: aSlot(aResource()) })
      .expect(201);
    const [look, free] = sqlOf('runbook.md', 'Free a slot').map((sql) =>
      sql.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (freed as { booking_id: string }).booking_id),
    );
    expect(await database.query(look!)).toMatchObject([{ resource_id: resource }]);
    expect(await database.query(`${free!.replace(/;\s*$/, '')} RETURNING booking_id`)).toHaveLength(1);
    await service.get(`/v1/bookings/${(freed as { booking_id: string }).booking_id}`).expect(404);
    await service.get(`/v1/bookings/${(other as { booking_id: string }).booking_id}`).expect(200);
    const { body: again } = await book(slot).expect(201);
    expect(again).not.toEqual(freed);
    const { body: list } = await service.get('/v1/bookings').query({ resource_id: resource }).expect(200);
    expect((list as { bookings: unknown[] }).bookings).toEqual([again]);
  });
});

describe('The rollback of docs/runbook.md', () => {
  /** Every index and constraint, as the database describes it. */
  const schema = () =>
    database.query<{ definition: string }>(`
      SELECT indexdef AS definition FROM pg_indexes WHERE tablename = 'bookings'
      UNION ALL SELECT conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'bookings'::regclass
      ORDER BY 1`);
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
    for (const file of ['0005_booking_events.sql', '0004_lists_by_distance.sql']) {
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
