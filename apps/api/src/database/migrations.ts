import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { isInternalError, isRetryable, SchemaMismatch } from './postgres-errors.js';

export interface Migration {
  /** The number that the file begins with; the first is 1. */
  readonly version: number;
  readonly file: string;
  readonly sql: string;
  /** SHA-256 of the file, in hexadecimal. */
  readonly checksum: string;
}

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
 * The migrations of a folder that are not applied yet, in their order.
 *
 * @throws SchemaMismatch if the schema is newer than this service, or an applied migration was changed
 */
export async function pendingMigrations(client: Client, folder: URL): Promise<Migration[]> {
  const own = migrationsIn(folder);
  const { rows: found } = await client.query(`SELECT FROM pg_class WHERE oid = to_regclass('schema_migrations')`);
  if (found.length === 0) return own;
  const { rows } = await client.query<Migration>('SELECT version, file, checksum FROM schema_migrations');
  for (const { version, file, checksum } of rows) {
    const migration = own.find((candidate) => candidate.version === version);
    if (migration === undefined) {
      throw new SchemaMismatch(`the database has ${file}, which this service does not know. Start a newer service.`);
    }
    if (migration.checksum !== checksum) {
      throw new SchemaMismatch(`${file} was changed after it was applied. Undo that, and add a new migration.`);
    }
  }
  const applied = new Set(rows.map(({ version }) => version));
  return own.filter(({ version }) => !applied.has(version));
}

/** @param folder a `file:` URL that ends with a slash */
function migrationsIn(folder: URL): Migration[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  return files.toSorted().map((file) => {
    const content = readFileSync(new URL(file, folder));
    return {
      version: Number.parseInt(file, 10),
      file,
      sql: content.toString(),
      checksum: createHash('sha256').update(content).digest('hex'),
    };
  });
}

/** Applies migrations in their order. */
export async function applyAll(client: Client, migrations: readonly Migration[]): Promise<void> {
  await client.query(`
    CREATE TABLE IF NOT EXISTS schema_migrations (
      version integer PRIMARY KEY,
      file text NOT NULL,
      checksum text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now()
    )`);
  for (const migration of migrations) await applyWithRetries(client, migration);
}

/**
 * Lifts the time limits that a role, a database or the server sets, and has the server end a statement whose client is
 * gone: for the session, or for the transaction that is open. Settings that the server does not have are left out.
 */
export async function liftLimits(client: Client, scope: 'session' | 'transaction'): Promise<void> {
  await client.query(`
    SELECT set_config(name, CASE WHEN name LIKE '%timeout' THEN '0' ELSE '${CLIENT_CHECK_INTERVAL}' END, ${scope === 'transaction'})
    FROM pg_settings
    WHERE name IN ('statement_timeout', 'lock_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')
      OR name = 'client_connection_check_interval' AND current_setting('dynamic_shared_memory_type') <> 'windows'`);
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
async function apply(client: Client, { version, file, sql, checksum }: Migration): Promise<void> {
  const record = async (): Promise<void> => {
    await client.query('INSERT INTO schema_migrations (version, file, checksum) VALUES ($1, $2, $3)', [
      version,
      file,
      checksum,
    ]);
  };
  if (OUTSIDE.test(sql)) {
    // One by one: statements that are sent together are one transaction.
    for (const statement of statementsOf(sql)) await client.query(statement);
    return record();
  }
  await client.query('BEGIN');
  try {
    await liftLimits(client, 'transaction');
    await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT}`);
    await client.query(sql);
    await record();
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** The statements of a file, each of which ends with a semicolon at the end of a line. */
export function statementsOf(sql: string): string[] {
  return sql
    .replaceAll(/^\s*--.*$/gm, '')
    .split(/;$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}
