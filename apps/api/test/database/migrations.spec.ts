import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createTestDatabase, type TestDatabase } from 'testing';
import { databaseSettings } from '../../src/cli/with-database.js';
import { migrate } from '../../src/platform/database/migrations.js';
import { alterDatabase } from '../support/alter-database.js';
import { api } from '../support/api.js';
import { create } from '../support/bookings.js';
import { laterVersion } from '../support/later-migrations.js';
import { openDatabase } from '../support/open-database.js';
import { startApp } from '../support/start-app.js';

const FOLDER = new URL('../../migrations/', import.meta.url);
const ALL = readdirSync(FOLDER).toSorted();
/** SHA-256 of each file, as databases have applied it: a change of the schema is a new file, and a new line here. */
const FROZEN = {
  '0001_bookings.sql': '35dbbba362f4ceb91d423f177eb22748f17d691545f337a560eee06dcdc55408',
  '0002_events.sql': 'a818859196e27f446f552908c74eee4a0c11bc02a928ec57e523e049a845db48',
};

let testDatabase: TestDatabase;
beforeEach(async () => void (testDatabase = await createTestDatabase()));
afterEach(() => testDatabase.drop());

const prepare = async (env: Record<string, string> = {}): Promise<void> =>
  (await openDatabase(testDatabase.url, env)).close();

const applied = async (): Promise<string[]> => {
  const rows = await testDatabase.query<{ file: string }>('SELECT file FROM schema_migrations ORDER BY file');
  return rows.map(({ file }) => file);
};

const later = (files: Record<string, string>) => laterVersion(testDatabase.url, files);

it('Migrations never change', () => {
  const checksumOf = (file: string): string =>
    createHash('sha256')
      .update(readFileSync(new URL(file, FOLDER)))
      .digest('hex');
  expect(Object.fromEntries(ALL.map((file) => [file, checksumOf(file)]))).toEqual(FROZEN);
});

describe('The schema', () => {
  it('is created once, however many replicas start at once', async () => {
    await Promise.all(Array.from({ length: 8 }, () => prepare()));
    await prepare();
    expect(await applied()).toEqual(ALL);
  });

  it('is only checked where the service may not migrate', async () => {
    await expect(prepare({ DATABASE_MIGRATE_AT_START: 'false' })).rejects.toThrow(
      `the database lacks ${ALL.join(', ')}. Run \`node dist/cli/migrate.js\` in the folder of the service first.`,
    );
    await expect(applied()).rejects.toThrow('does not exist');
    await prepare();
    await expect(prepare({ DATABASE_MIGRATE_AT_START: 'false' })).resolves.toBeUndefined();
  });

  it('is migrated as a whole or not at all', async () => {
    await prepare();
    const files = { '0101_one.sql': 'CREATE TABLE one ()', '0102_other.sql': 'CREATE TABLE bookings ()' };
    await expect(migrate(later(files))).rejects.toThrow('already exists');
    expect(await applied()).toEqual(ALL);
    await expect(testDatabase.query('SELECT FROM one')).rejects.toThrow('does not exist');
  });

  it('stops a service if an applied migration is another one', async () => {
    await prepare();
    await testDatabase.query(`UPDATE schema_migrations SET checksum = 'another'`);
    await expect(prepare()).rejects.toThrow(
      /^the database has another 0001_bookings\.sql than this version.* See "Upgrading" in docs\/deployment\.md\.$/,
    );
  });

  it('of a newer version lets a service run, with a warning', async () => {
    const newer = ['0101_later.sql', '0102_more.sql'];
    await migrate(later({ [newer[0]!]: 'ALTER TABLE bookings ADD COLUMN later text', [newer[1]!]: '' }));
    const warning = `the schema is newer than this version: it has ${newer.join(', ')}.`;
    const migrated = await migrate(databaseSettings({ DATABASE_URL: testDatabase.url }));
    expect(migrated).toEqual({ applied: [], warnings: [warning] });
    const service = await startApp({ DATABASE_URL: testDatabase.url });
    await create(api(service.url));
    await service.close();
    const warnings = service.logged.filter((line) => line.includes(warning));
    expect(warnings.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ level: 'warn' }]);
  });
});

describe('A migration', () => {
  it('ignores the time limits of its role and database', async () => {
    const limits = await testDatabase.query<{ name: string }>(
      `SELECT name FROM pg_settings WHERE name ~ '^(statement|lock|transaction|idle_in_transaction_session)_timeout$'`,
    );
    const changed = limits.map(({ name }) => `${name} = 60001`);
    await alterDatabase(testDatabase, [...changed, `default_transaction_isolation = 'serializable'`]);
    const kept = `SELECT FROM pg_settings WHERE setting = '60001' OR current_setting('transaction_isolation') = 'serializable'`;
    const sql = `DO $$ BEGIN ASSERT NOT EXISTS (${kept}); END $$`;
    const { applied: files } = await migrate(later({ '0101_limits.sql': sql }));
    expect(files).toEqual([...ALL, '0101_limits.sql']);
  });
});
