import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createTestDatabase, dropTestDatabase, type TestDatabase } from 'testing';
import { Database } from '../../src/database/database.js';
import type { DatabaseSettings } from '../../src/database/database-pools.js';
import { readConfig } from '../../src/config/config.js';

let testDatabase: TestDatabase;
beforeEach(async () => {
  testDatabase = await createTestDatabase();
});
afterEach(() => testDatabase.drop());

async function prepare(settings: Partial<DatabaseSettings> = {}): Promise<void> {
  const database = new Database({ ...readConfig({ DATABASE_URL: testDatabase.url }).database!, ...settings });
  try {
    await database.prepare();
  } finally {
    await database.close();
  }
}

const applied = (): Promise<{ version: number; file: string }[]> =>
  testDatabase.query('SELECT version, file FROM schema_migrations ORDER BY version');

const ALL = [
  { version: 1, file: '0001_bookings.sql' },
  { version: 2, file: '0002_rate_limits.sql' },
  { version: 3, file: '0003_slots_by_hash.sql' },
  { version: 4, file: '0004_lists_by_distance.sql' },
  { version: 5, file: '0005_events.sql' },
];

describe('The schema', () => {
  it('is made by the first start, and left alone by the next', async () => {
    await prepare();
    await prepare();
    expect(await applied()).toEqual(ALL);
  });

  it('is one, however many replicas start at once', async () => {
    await Promise.all(Array.from({ length: 8 }, () => prepare()));
    expect(await applied()).toEqual(ALL);
  });

  it('is only looked at where the service may not change it', async () => {
    await expect(prepare({ migrateAtStart: false })).rejects.toThrow(
      'the database lacks 0001_bookings.sql, 0002_rate_limits.sql, 0003_slots_by_hash.sql, 0004_lists_by_distance.sql, 0005_events.sql. Run `node dist/cli/migrate.js` in the folder of the service first.',
    );
    await expect(applied()).rejects.toThrow('does not exist');
    await prepare();
    await expect(prepare({ migrateAtStart: false })).resolves.toBeUndefined();
  });

  it('is completed where a migration outside of a transaction was broken off', async () => {
    await prepare();
    await testDatabase.query('DELETE FROM schema_migrations WHERE version = 4');
    await testDatabase.query('DROP INDEX bookings_of_resource_in_order');
    await prepare();
    expect(await applied()).toEqual(ALL);
    const indexes = await testDatabase.query<{ name: string; valid: boolean }>(
      `SELECT indexrelid::regclass::text AS name, indisvalid AS valid FROM pg_index
        WHERE indexrelid::regclass::text LIKE '%in_order' ORDER BY 1`,
    );
    expect(indexes).toEqual([
      { name: 'bookings_in_order', valid: true },
      { name: 'bookings_of_resource_in_order', valid: true },
    ]);
  });

  it('stops a service that is older than it', async () => {
    await prepare();
    await testDatabase.query(`INSERT INTO schema_migrations VALUES (9999, '9999_later.sql', 'checksum')`);
    const fault = 'the database has 9999_later.sql, which this version cannot run on. Start a newer one, or see';
    await expect(prepare()).rejects.toThrow(fault);
    await expect(prepare({ migrateAtStart: false })).rejects.toThrow(fault);
  });

  it('stops a service whose migration is not the one that was applied', async () => {
    await prepare();
    await testDatabase.query(`UPDATE schema_migrations SET checksum = 'another'`);
    await expect(prepare()).rejects.toThrow('0001_bookings.sql was changed after it was applied.');
  });

  it('is undone whole where a part of it fails', async () => {
    await testDatabase.query('CREATE TABLE bookings_by_start ()');
    await expect(prepare()).rejects.toThrow('already exists');
    await expect(testDatabase.query('SELECT FROM bookings')).rejects.toThrow('does not exist');
  });
});

describe('A database', () => {
  it('that may lose what it acknowledged is rejected', async () => {
    const [row] = await testDatabase.query<{ name: string }>('SELECT current_database() AS name');
    await testDatabase.query(`ALTER DATABASE ${row!.name} SET synchronous_commit = off`);
    await expect(prepare()).rejects.toThrow('synchronous_commit off and could lose acknowledged bookings');
  });

  it('that would change the text of bookings is rejected', async () => {
    const name = `latin_${Date.now()}`;
    await testDatabase.query(`CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
    const url = new URL(testDatabase.url);
    url.pathname = `/${name}`;
    try {
      await expect(prepare({ url: url.href })).rejects.toThrow('the encoding LATIN1, not UTF8');
    } finally {
      await dropTestDatabase(name);
    }
  });

  it('whose extension is in a schema that the service does not search is rejected', async () => {
    await testDatabase.query('CREATE SCHEMA extensions; CREATE EXTENSION btree_gist SCHEMA extensions');
    const fault = 'the schema of the extension btree_gist is not in the search_path of the role';
    await expect(prepare()).rejects.toThrow(fault);
    await expect(prepare()).rejects.toThrow(fault);
  });

  it('that does not exist, or does not let the service in, stops the start', async () => {
    const url = new URL(testDatabase.url);
    url.pathname = '/no_such_database';
    await expect(prepare({ url: url.href })).rejects.toThrow('does not exist');
  });
});

describe('The migrations', () => {
  const folder = new URL('../../migrations/', import.meta.url);
  const files = readdirSync(folder).toSorted();

  it('never change once they are published: databases have their checksums', () => {
    const published = {
      '0001_bookings.sql': 'f5e326f5c930a325cac3412deede0256bb8f15d9c5629f5f49cb3c061b00a791',
      '0002_rate_limits.sql': '287f5f4d4378cb3a3aae2d0812016d4572b687b6ca1eaae8ebe84e982c2b42cc',
      '0003_slots_by_hash.sql': 'bdd003abe994c46b50d3344e6b56fefcc3a48adf7808894eeebb9abd182d649f',
      '0004_lists_by_distance.sql': 'ed153f7419d2f38bd798b666e956171e9df9717db9eb785313218cda65668ec1',
    };
    const checksum = (file: string) =>
      createHash('sha256')
        .update(readFileSync(new URL(file, folder)))
        .digest('hex');
    expect(Object.fromEntries(Object.keys(published).map((file) => [file, checksum(file)]))).toEqual(published);
  });

  it('from 0006 on name the last migration of the oldest version that may run on their schema', () => {
    for (const file of files.filter((name) => name > '0006')) {
      const [, oldest] = /^-- oldest: (\d{4})$/m.exec(readFileSync(new URL(file, folder), 'utf8')) ?? [];
      expect({ file, isNamed: oldest !== undefined && oldest <= file.slice(0, 4) }).toEqual({ file, isNamed: true });
    }
  });

  it('are numbered by four digits, from 1 on, without a gap', () => {
    const numbers = files.map((file) => /^(\d{4})_[a-z_]+\.sql$/.exec(file)?.[1]);
    expect(numbers).toEqual(files.map((_, index) => String(index + 1).padStart(4, '0')));
  });
});
