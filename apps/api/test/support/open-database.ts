import { readConfig } from '../../src/config/config.js';
import { Database } from '../../src/platform/database/database.js';

/** The connections of a service to a database, whose schema is up to date then. */
export async function openDatabase(url: string, env: Record<string, string> = {}): Promise<Database> {
  const database = new Database(readConfig({ DATABASE_URL: url, ...env }).database!);
  await database.prepare();
  return database;
}
