import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Client } from 'pg';
import { INSUFFICIENT_PRIVILEGE, SchemaMismatch, sqlstateOf } from './postgres-errors.js';
import type { SchemaCheck } from './schema-check.js';
import { type Target, withConnection } from './session.js';

export interface SchemaSettings extends Target {
  /** The folder of the migrations: a `file:` URL that ends with a slash. */
  readonly migrations: URL;
  readonly schema: SchemaCheck;
}

interface Migrated {
  readonly applied: readonly string[];
  /** Sentences on what the operator should know, although it does not prevent creates. */
  readonly warnings: readonly string[];
}

interface Migration {
  readonly file: string;
  readonly sql: string;
  readonly checksum: string;
}

/** Takes an advisory lock for the current schema. The seed is a number that nothing else uses. */
const TAKE_LOCK = `SELECT pg_advisory_xact_lock(hashtextextended(coalesce(current_schema(), ''), 7305120261121))`;

/**
 * Replaces the time limits of the role and the database: none for a statement or the transaction, a minute to wait for
 * a backup or another migration, and ten seconds until a process that has vanished loses its lock.
 * `transaction_timeout` exists only since PostgreSQL 17.
 */
const SET_LIMITS = `SELECT set_config(name, milliseconds, true)
  FROM (VALUES ('statement_timeout', '0'), ('transaction_timeout', '0'), ('lock_timeout', '60000'),
    ('idle_in_transaction_session_timeout', '10000')) AS limits (name, milliseconds) JOIN pg_settings USING (name)`;

/** Milliseconds within which the response to a statement of a migration has to arrive. */
const MIGRATION_TIMEOUT = 600_000;

/** @returns warnings @throws SchemaMismatch if the service cannot use the database */
export async function prepareSchema(settings: SchemaSettings, mayMigrate: boolean): Promise<readonly string[]> {
  const look = async (client: Client) => {
    const { pending, newer } = await schemaState(client, settings);
    return { pending, warnings: pending.length === 0 ? [...newer, ...(await settings.schema.run(client))] : [] };
  };
  const { pending, warnings } = await withConnection(settings, look, { query_timeout: settings.statementTimeout });
  if (pending.length === 0) return warnings;
  if (mayMigrate) return (await migrate(settings)).warnings;
  const files = pending.map(({ file }) => file).join(', ');
  throw new SchemaMismatch(
    `the database lacks ${files}. Run \`node dist/cli/migrate.js\` in the folder of the service first.`,
  );
}

/**
 * Brings the schema up to date in one transaction, which also works through a transaction pooler. Replicas that start
 * together wait for the first of them.
 *
 * @param grantTo the service's role, if it does not own the tables; the role is granted the rights that it needs
 * @throws SchemaMismatch if an applied migration differs from this version's, a privilege is missing, or the service
 * cannot use the database afterwards
 * @throws DatabaseError if a migration fails
 */
export async function migrate(settings: SchemaSettings, grantTo?: string): Promise<Migrated> {
  const { schema } = settings;
  const inTransaction = async (client: Client): Promise<Migrated> => {
    // A transaction at a stricter isolation level would take its snapshot before it holds the lock.
    await client.query(`BEGIN ISOLATION LEVEL READ COMMITTED; ${SET_LIMITS}`);
    await client.query(TAKE_LOCK);
    const { pending, newer } = await schemaState(client, settings);
    if (pending.length > 0) await apply(client, pending);
    if (grantTo !== undefined) await schema.grantRights(client, grantTo);
    const warnings = [...newer, ...(await schema.run(client))];
    await client.query('COMMIT');
    return { applied: pending.map(({ file }) => file), warnings };
  };
  try {
    return await withConnection(settings, inTransaction, { query_timeout: MIGRATION_TIMEOUT });
  } catch (error) {
    if (sqlstateOf(error) !== INSUFFICIENT_PRIVILEGE) throw error;
    const { message } = error as Error;
    throw new SchemaMismatch(`${message}. As the owner of the tables, run \`node dist/cli/migrate.js\`.`);
  }
}

async function apply(client: Client, pending: readonly Migration[]): Promise<void> {
  await client.query(`CREATE TABLE IF NOT EXISTS schema_migrations (
    file text COLLATE "C" PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
  for (const { file, sql, checksum } of pending) {
    await client.query(sql);
    await client.query('INSERT INTO schema_migrations (file, checksum) VALUES ($1, $2)', [file, checksum]);
  }
}

/** @throws SchemaMismatch if an applied migration differs from this version's, or `schema_migrations` is unreadable */
async function schemaState(client: Client, { migrations, schema }: SchemaSettings) {
  const own = migrationsIn(migrations);
  const { rows: found } = await client.query<{ isReadable: boolean | null }>(
    `SELECT has_column_privilege(id, 'checksum', 'SELECT') AND NOT row_security_active(id) AS "isReadable"
      FROM to_regclass('schema_migrations') AS id`,
  );
  const { isReadable } = found[0]!;
  if (isReadable === null) return { pending: own, newer: [] };
  // The check throws an error that names every fault.
  if (!isReadable) await schema.run(client);
  const { rows } = await client.query<Migration>('SELECT file, checksum FROM schema_migrations ORDER BY file');
  const applied = new Map(rows.map(({ file, checksum }) => [file, checksum]));
  const changed = own.find(({ file, checksum }) => applied.has(file) && applied.get(file) !== checksum);
  if (changed !== undefined) {
    throw new SchemaMismatch(
      `the database has another ${changed.file} than this version, probably from an unreleased preview. ` +
        'See "Upgrading" in docs/deployment.md.',
    );
  }
  // A newer schema is only worth a warning: each migration keeps the previous version of the service working.
  const newer = [...applied.keys()].filter((name) => !own.some(({ file }) => file === name));
  return {
    pending: own.filter(({ file }) => !applied.has(file)),
    newer: newer.length === 0 ? [] : [`the schema is newer than this version: it has ${newer.join(', ')}.`],
  };
}

function migrationsIn(folder: URL): Migration[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  return files.toSorted().map((file) => {
    const sql = readFileSync(new URL(file, folder), 'utf8');
    return { file, sql, checksum: hash('sha256', sql) };
  });
}
