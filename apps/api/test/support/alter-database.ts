import { Client } from 'pg';
import type { TestDatabase } from 'testing';

/** Changes the settings of new sessions, and ends all others, which a pooler would keep. */
export async function alterDatabase({ url }: TestDatabase, settings: readonly string[]): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  const client = new Client({ connectionString: process.env['TEST_DATABASE_URL']! });
  await client.connect();
  try {
    for (const setting of settings) await client.query(`ALTER DATABASE ${name} SET ${setting}`);
    await client.query('SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1', [name]);
  } finally {
    await client.end();
  }
}
