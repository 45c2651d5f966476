import { randomBytes } from 'node:crypto';
import { query } from './database-client.js';

export interface TestDatabase {
  readonly url: string;
  query<Row>(text: string, values?: unknown[]): Promise<Row[]>;
  drop(): Promise<void>;
}

/** Creates an empty database on the test server (see `global-setup.ts`). */
export async function createTestDatabase(): Promise<TestDatabase> {
  const serverUrl = process.env['TEST_DATABASE_URL'];
  if (serverUrl === undefined) throw new Error('There is no test server: run the tests through jest.');
  const name = `bookings_test_${randomBytes(6).toString('hex')}`;
  await query(serverUrl, `CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    query: (text, values) => query(url.href, text, values),
    drop: () => dropTestDatabase(name),
  };
}

/** Ends the connections to a database, and removes it unless the whole server will soon be removed. */
export async function dropTestDatabase(name: string): Promise<void> {
  const isLeft = process.env['TEST_DATABASES_STAY'] !== undefined;
  await query(
    process.env['TEST_DATABASE_URL']!,
    isLeft
      ? `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`
      : `DROP DATABASE ${name} WITH (FORCE)`,
  );
}
