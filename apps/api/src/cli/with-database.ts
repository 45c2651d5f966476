import { Logger } from '@nestjs/common';
import { readConfig } from '../config/config.js';
import { Database, type DatabaseSettings } from '../platform/database/database.js';
import { INSUFFICIENT_PRIVILEGE, sqlstateOf } from '../platform/database/postgres-errors.js';
import { schema } from '../schema.js';

/** The smallest pool that a {@link Database} accepts. */
const POOL_SIZE = 2;

/** @throws Error if DATABASE_URL is not set, STORE is `memory`, or a setting is invalid */
export function databaseSettings(env: NodeJS.ProcessEnv): DatabaseSettings {
  const { database } = readConfig(env);
  if (database === undefined) throw new Error('DATABASE_URL is not set, or STORE is memory.');
  return { ...database, schema };
}

/** @throws Error with the database's own message, if there is one, and advice if the role lacks a right */
export async function withDatabase(
  env: NodeJS.ProcessEnv,
  work: (database: Database) => Promise<string>,
): Promise<string> {
  // Keeps log lines off standard output, which belongs to the command.
  Logger.overrideLogger(false);
  const database = new Database({ ...databaseSettings(env), poolSize: POOL_SIZE, migrateAtStart: false });
  try {
    await database.prepare();
    return await work(database);
  } catch (error) {
    const { cause } = error as Error;
    if (!(cause instanceof Error)) throw error;
    const isDenied = sqlstateOf(cause) === INSUFFICIENT_PRIVILEGE;
    const advice = isDenied ? '. Run this with the DATABASE_URL of the owner of the tables.' : '';
    throw new Error(`${cause.message}${advice}`, { cause: error });
  } finally {
    database.close();
  }
}
