import type { Database } from '../../src/database/database.js';
import { prepared } from '../../src/database/statement.js';

/** Whether the databases of the tests are behind PgBouncer. */
export function isThroughPgBouncer(): boolean {
  return process.env['TEST_PGBOUNCER_URL'] !== undefined;
}

/** Has the service send whole transactions, as through a pooler: it loses a prepared statement. */
export async function seemPooled(database: Database): Promise<void> {
  for (const statement of [prepared('SELECT 1'), { text: 'DEALLOCATE ALL' }, prepared('SELECT 1')]) {
    await database.run(statement);
  }
}

/** The server itself: a pooler keeps the settings of a role with which its sessions began. */
export function onServer(url: string): string {
  const direct = new URL(url);
  direct.host = new URL(process.env['TEST_SERVER_URL'] ?? url).host;
  return direct.href;
}
