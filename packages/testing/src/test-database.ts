import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

export interface TestDatabase {
  readonly url: string;
  /** Runs SQL as its owner, independently of the service. */
  query<Row>(text: string, values?: unknown[]): Promise<Row[]>;
  drop(): Promise<void>;
}

/** Makes an empty database on the test server (see `global-setup.ts`). */
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

/** Ends its connections, and removes it, unless its server goes sooner than that takes. */
export async function dropTestDatabase(name: string): Promise<void> {
  const isLeft = process.env['TEST_DATABASES_STAY'] !== undefined;
  await query(
    process.env['TEST_DATABASE_URL']!,
    isLeft
      ? `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`
      : `DROP DATABASE ${name} WITH (FORCE)`,
  );
}

async function query<Row>(connectionString: string, text: string, values?: unknown[]): Promise<Row[]> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query(text, values);
    return rows as Row[];
  } finally {
    await client.end();
  }
}
