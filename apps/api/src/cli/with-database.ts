import { Logger } from '@nestjs/common';
import { readConfig } from '../config/config.js';
import { Database, type DatabaseSettings } from '../platform/database/database.js';
import { codeOf, INSUFFICIENT_PRIVILEGE } from '../platform/database/postgres-errors.js';

/** Connections; the fewest that a database takes. */
const POOL_SIZE = 2;

/** @throws Error if no database is set */
export function databaseSettings(): DatabaseSettings {
  const { database } = readConfig(process.env);
  if (database === undefined) throw new Error('DATABASE_URL is not set.');
  return database;
}

/**
 * Runs `work` on the database of DATABASE_URL, whose schema must be up to date.
 *
 * @throws Error with what the database said, where it is at fault, and which role may do it
 */
export async function withDatabase(work: (database: Database) => Promise<string>): Promise<string> {
  // Standard output is the command's.
  Logger.overrideLogger(false);
  const database = new Database({ ...databaseSettings(), poolSize: POOL_SIZE, migrateAtStart: false });
  try {
    await database.prepare();
    return await work(database);
  } catch (error) {
    const { cause } = error as Error;
    if (!(cause instanceof Error)) throw error;
    const isDenied = codeOf(cause) === INSUFFICIENT_PRIVILEGE;
    const role = isDenied ? '. Run this with the DATABASE_URL of the owner of the tables.' : '';
    throw new Error(`${cause.message}${role}`, { cause: error });
  } finally {
    await database.close();
  }
}
