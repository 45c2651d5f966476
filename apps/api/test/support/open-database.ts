import { Client } from 'pg';
import { createTestDatabase, type TestDatabase, until } from 'testing';
import { databaseSettings } from '../../src/cli/with-database.js';
import { Database } from '../../src/platform/database/database.js';
import { alterDatabase } from './alter-database.js';

/** Opens the connections of a service to a database, and migrates it. */
export async function openDatabase(url: string, env: Record<string, string> = {}): Promise<Database> {
  const database = new Database(databaseSettings({ DATABASE_URL: url, ...env }));
  await database.prepare();
  return database;
}

export interface OpenDatabase extends TestDatabase {
  /** The connections of a service. */
  database: Database;
  /** Opens a connection beside the service. @param url default: without the settings of the service's sessions */
  connect(url?: string): Promise<Client>;
}

interface DatabaseOptions {
  /** Settings of the service. */
  env?: Record<string, string>;
  /** Settings of the database, such as `array_nulls = off`. */
  settings?: readonly string[];
  scope?: 'all' | 'each';
}

/** Opens a new database before all tests of a file or a `describe`, or before each, and drops it after them. */
export function useDatabase({ env, settings = [], scope = 'all' }: DatabaseOptions = {}): OpenDatabase {
  const clients: Client[] = [];
  const open = {
    async connect(url = open.url) {
      const client = new Client({ connectionString: url });
      clients.push(client);
      await client.connect();
      return client;
    },
  } as OpenDatabase;
  const before = scope === 'all' ? beforeAll : beforeEach;
  const after = scope === 'all' ? afterAll : afterEach;
  before(async () => {
    Object.assign(open, await createTestDatabase());
    await alterDatabase(open, settings);
    open.database = await openDatabase(open.url, env);
    // On a busy machine, the migration outlasts the time limit of a start and goes on in the background.
    await until(() =>
      open.database.read({ text: 'SELECT' }).then(
        () => true,
        () => false,
      ),
    );
  });
  after(async () => {
    await Promise.all(clients.splice(0).map((client) => client.end()));
    open.database.close();
    await open.drop();
  });
  return open;
}
