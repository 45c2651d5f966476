import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Migration } from './migrations.js';
import { isCanceled, isInternalError, isRetryable, SchemaMismatch } from './postgres-errors.js';

/** Marks a file whose statements cannot run in a transaction, such as `CREATE INDEX CONCURRENTLY`. */
const OUTSIDE = /^-- runs: outside a transaction$/m;

/** Milliseconds that a migration waits for a lock, such as that of a running backup. */
const LOCK_TIMEOUT = 60_000;

/** Milliseconds between two checks of the server whether the client of a running statement is still there. */
const CLIENT_CHECK_INTERVAL = 1_000;

/**
 * Attempts of a migration, and milliseconds between two. What an interrupted one left running ends soon, but may deadlock
 * with its successor before, or change an index that its successor is dropping ("tuple concurrently updated").
 */
const ATTEMPTS = 5;
const RETRY_INTERVAL = CLIENT_CHECK_INTERVAL;

/**
 * Applies migrations in their order.
 *
 * @param hasSession whether the connection is one session, rather than one of a transaction pooler: limits that are lifted
 *   in a pooler's session would be lifted for its other clients
 * @throws SchemaMismatch if a pooler keeps a time limit that is too short for a migration
 */
export async function applyAll(client: Client, migrations: readonly Migration[], hasSession: boolean): Promise<void> {
  if (hasSession) await liftLimits(client, 'session');
  await createTable(client);
  for (const migration of migrations) {
    try {
      await applyWithRetries(client, migration);
    } catch (error) {
      throw hasSession || !OUTSIDE.test(migration.sql) || !isCanceled(error) ? error : limitOfPooler(migration);
    }
  }
}

function limitOfPooler({ file }: Migration): SchemaMismatch {
  return new SchemaMismatch(
    `${file} took longer than the time limit of its role or database, which a transaction pooler does not lift. ` +
      'Run `node dist/cli/migrate.js` with a DATABASE_URL of the server itself.',
  );
}

/**
 * Lifts the time limits that a role, a database or the server sets, and has the server end a statement whose client is
 * gone: for the session, or for the transaction that is open. Settings that the server does not have are left out.
 */
async function liftLimits(client: Client, scope: 'session' | 'transaction'): Promise<void> {
  await client.query(`
    SELECT set_config(name, CASE WHEN name LIKE '%timeout' THEN '0' ELSE '${CLIENT_CHECK_INTERVAL}' END, ${scope === 'transaction'})
    FROM pg_settings
    WHERE name IN ('statement_timeout', 'lock_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')
      OR name = 'client_connection_check_interval' AND current_setting('dynamic_shared_memory_type') <> 'windows'`);
}

async function createTable(client: Client): Promise<void> {
  await client.query(`
    CREATE TABLE IF NOT EXISTS schema_migrations (
      version integer PRIMARY KEY,
      file text NOT NULL,
      checksum text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now(),
      oldest integer
    )`);
  // Versions before `oldest` made the table without it.
  const { rowCount } = await client.query(
    `SELECT FROM pg_attribute WHERE attrelid = 'schema_migrations'::regclass AND attname = 'oldest'`,
  );
  if (rowCount === 1) return;
  await client.query(
    `BEGIN; SET LOCAL lock_timeout = ${LOCK_TIMEOUT}; ALTER TABLE schema_migrations ADD COLUMN oldest integer; COMMIT`,
  );
}

async function applyWithRetries(client: Client, migration: Migration): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await apply(client, migration);
    } catch (error) {
      if (attempt === ATTEMPTS || !(isRetryable(error) || isInternalError(error))) throw error;
      await sleep(RETRY_INTERVAL);
    }
  }
}

/**
 * Applies one migration and records it. In a transaction it is applied whole or not at all. One that runs outside of a
 * transaction may be interrupted and is then run again from its beginning, so each of its statements can be repeated.
 */
async function apply(client: Client, migration: Migration): Promise<void> {
  const { sql } = migration;
  if (OUTSIDE.test(sql)) {
    // One by one: statements that are sent together are one transaction.
    for (const statement of statementsOf(sql)) await client.query(statement);
    return record(client, migration);
  }
  await client.query('BEGIN');
  try {
    await liftLimits(client, 'transaction');
    await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT}`);
    await client.query(sql);
    await record(client, migration);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

async function record(client: Client, { version, file, checksum, oldest }: Migration): Promise<void> {
  await client.query('INSERT INTO schema_migrations (version, file, checksum, oldest) VALUES ($1, $2, $3, $4)', [
    version,
    file,
    checksum,
    oldest,
  ]);
}

/** The statements of a file, each of which ends with a semicolon at the end of a line. */
function statementsOf(sql: string): string[] {
  return sql
    .replaceAll(/^\s*--.*$/gm, '')
    .split(/;$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}
