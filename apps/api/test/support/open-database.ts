import { createTestDatabase, type TestDatabase } from 'testing';
import { readConfig } from '../../src/config/config.js';
import { Database } from '../../src/platform/database/database.js';

/** The connections of a service to a database, whose schema is up to date then. */
export async function openDatabase(url: string, env: Record<string, string> = {}): Promise<Database> {
  const database = new Database(readConfig({ DATABASE_URL: url, ...env }).database!);
  await database.prepare();
  return database;
}

export interface OpenDatabase extends TestDatabase {
  /** The connections of a service to it. */
  database: Database;
}

/** Opens a new database before all tests of a file or a `describe`, or before each, and drops it after them. */
export function useDatabase(env: Record<string, string> = {}, scope: 'all' | 'each' = 'all'): OpenDatabase {
  const open = {} as OpenDatabase;
  const [before, after] = scope === 'all' ? [beforeAll, afterAll] : [beforeEach, afterEach];
  before(async () => {
    Object.assign(open, await createTestDatabase());
    open.database = await openDatabase(open.url, env);
  });
  after(async () => {
    await open.database.close();
    await open.drop();
  });
  return open;
}
