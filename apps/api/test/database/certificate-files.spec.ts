import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from 'testing';
import { readConfig } from '../../src/config/config.js';
import { Database } from '../../src/database/database.js';
import type { DatabaseSettings } from '../../src/database/database.js';
import { DatabaseUnavailable } from '../../src/database/postgres-errors.js';
import { until } from '../support/until.js';

let folder: string;
let file: string;
let testDatabase: TestDatabase;
let settings: DatabaseSettings;
let database: Database;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bookings-ca-'));
  file = join(folder, 'ca.pem');
  writeFileSync(file, 'read, and not used without TLS');
  testDatabase = await createTestDatabase();
  const url = `${testDatabase.url}?sslmode=disable&sslrootcert=${file}`;
  settings = readConfig({ DATABASE_URL: url, DATABASE_POOL_SIZE: '2' }).database!;
  database = new Database(settings);
  await database.prepare();
});
afterEach(async () => {
  await database.close();
  await testDatabase.drop();
  rmSync(folder, { recursive: true, force: true });
});

describe('A file that the connection string names', () => {
  it('is missed by requests alone when it is gone for a while, never by the process', async () => {
    await database.run({ text: 'SELECT 1' });
    rmSync(file);
    const sleeping = Promise.allSettled(
      Array.from({ length: 5 }, () => database.run({ text: 'SELECT pg_sleep(0.2), pg_backend_pid()' })),
    );
    await testDatabase.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    for (const { status, reason } of (await sleeping) as PromiseRejectedResult[]) {
      expect([status, reason]).toEqual(['rejected', expect.any(DatabaseUnavailable)]);
    }
    writeFileSync(file, 'as before');
    await until(async () => (await database.run({ text: 'SELECT 1' }).catch(() => undefined)) !== undefined);
  });

  it('stops the start if it is missing', async () => {
    rmSync(file);
    await expect(new Database(settings).prepare()).rejects.toThrow(/^The connection string cannot be used: ENOENT/);
  });
});
