import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { type ConnectionSettings, inTransaction, onWriter, withConnection } from './connection.js';
import { Hosts } from './hosts.js';
import { apply, type Migration, migrationsIn } from './migrations.js';
import { DatabaseUnavailable } from './postgres-errors.js';

export interface SchemaSettings extends ConnectionSettings {
  /** The folder of the migrations: a `file:` URL that ends with a slash. */
  readonly migrations: URL;
}

/** The database does not fit this service: no waiting mends that. */
export class SchemaMismatch extends Error {
  override readonly name = 'SchemaMismatch';
}

/** Any constant will do, as long as all replicas share it and nothing else in the database uses it. */
const ADVISORY_LOCK = 7_305_120_261_121;

/** Milliseconds that one process waits for another that is migrating, and between two looks whether it is done. */
const LOCK_PATIENCE = 60_000;
const LOCK_INTERVAL = 250;

/** Milliseconds between two looks whether the server still responds while a migration runs. */
const PULSE_INTERVAL = 1_000;

/**
 * Looks at the database, and brings its schema up to date where `mayMigrate`. Each statement of the look has the time
 * limit of the settings: they all respond at once, or the server hangs.
 *
 * @throws SchemaMismatch when the database cannot be used as it is
 */
export async function prepareSchema(settings: SchemaSettings, mayMigrate: boolean): Promise<void> {
  const pending = await inTransaction(settings, async (client) => {
    await checkDatabase(client);
    return pendingMigrations(client, settings.migrations);
  });
  if (pending.length === 0) return;
  if (mayMigrate) {
    await migrateHost(settings);
    return;
  }
  const files = pending.map(({ file }) => file).join(', ');
  throw new SchemaMismatch(
    `the database lacks ${files}. Run \`node dist/cli/migrate.js\` in the folder of the service first.`,
  );
}

/**
 * Brings the schema up to date, on the first of the hosts that takes writes.
 *
 * @returns the files that were applied now
 * @throws SchemaMismatch when the schema is newer than this service, or an applied migration was changed
 */
export function migrate(settings: SchemaSettings): Promise<string[]> {
  return onWriter(new Hosts(settings.url), (url) => migrateHost({ ...settings, url }));
}

/**
 * Brings the schema up to date, under an advisory lock, so that replicas that start together end in one schema.
 *
 * Two connections: a migration may take minutes, and nothing tells from its own connection whether the server still
 * works on it. The other holds the lock in a transaction that has no snapshot, for which `CREATE INDEX CONCURRENTLY`
 * would wait, and asks the server each second. A server that does not respond in time fails the migration; one that
 * loses this process ends the transaction, and with it the lock.
 */
function migrateHost(settings: SchemaSettings): Promise<string[]> {
  return inTransaction(settings, async (lock) => {
    await lock.query(
      `SET LOCAL idle_in_transaction_session_timeout = ${2 * (settings.statementTimeout + PULSE_INTERVAL)}`,
    );
    await takeLock(lock);
    const pending = await pendingMigrations(lock, settings.migrations);
    await withConnection(settings, (client) => whileResponding(lock, applyAll(client, pending)));
    return pending.map(({ file }) => file);
  });
}

async function applyAll(client: Client, migrations: readonly Migration[]): Promise<void> {
  await client.query(`
    CREATE TABLE IF NOT EXISTS schema_migrations (
      version integer PRIMARY KEY,
      file text NOT NULL,
      checksum text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now()
    )`);
  for (const migration of migrations) await apply(client, migration);
}

/** Asks again and again: a statement that waits for the lock would hold a snapshot. */
async function takeLock(client: Client): Promise<void> {
  for (let waited = 0; waited <= LOCK_PATIENCE; waited += LOCK_INTERVAL) {
    const { rows } = await client.query<{ taken: boolean }>(
      `SELECT pg_try_advisory_xact_lock(${ADVISORY_LOCK}) AS taken`,
    );
    if (rows[0]?.taken) return;
    await sleep(LOCK_INTERVAL);
  }
  throw new DatabaseUnavailable('another process is migrating the schema.');
}

/** @throws Error of `client` where it does not respond before the work is done; the work is left alone then */
async function whileResponding(client: Client, work: Promise<void>): Promise<void> {
  const done = new AbortController();
  const pulse = async (): Promise<void> => {
    for (;;) {
      await sleep(PULSE_INTERVAL, undefined, { signal: done.signal });
      await client.query('SELECT');
    }
  };
  const failed = pulse();
  failed.catch(() => {});
  try {
    await Promise.race([work, failed]);
  } finally {
    done.abort();
  }
}

/** @throws SchemaMismatch when the database could lose what it acknowledged, or change the text of a booking */
async function checkDatabase(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string; setting: string }>(
    `SELECT name, setting FROM pg_settings
      WHERE name IN ('synchronous_commit', 'fsync', 'full_page_writes') AND setting = 'off' OR name = 'server_encoding'`,
  );
  const encoding = rows.find(({ name }) => name === 'server_encoding')?.setting;
  if (encoding !== 'UTF8') {
    throw new SchemaMismatch(`the database has the encoding ${encoding}, not UTF8. Create it with ENCODING 'UTF8'.`);
  }
  const off = rows.filter(({ name }) => name !== 'server_encoding');
  if (off.length > 0) {
    const names = off.map(({ name }) => name).join(', ');
    throw new SchemaMismatch(`the database has ${names} off and could lose acknowledged bookings. Switch it on.`);
  }
}

/** @throws SchemaMismatch when the schema is newer than this service, or an applied migration was changed */
async function pendingMigrations(client: Client, folder: URL): Promise<Migration[]> {
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
