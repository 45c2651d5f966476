import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import {
  type ConnectionSettings,
  inTransaction,
  onWriter,
  takesSessionParameters,
  withConnection,
} from './connection.js';
import { checkConstraints } from './constraints.js';
import { Hosts } from './hosts.js';
import { applyAll } from './apply-migrations.js';
import { type SchemaState, schemaState } from './migrations.js';
import { DatabaseUnavailable, isPrivilegeMissing, SchemaMismatch } from './postgres-errors.js';
import { checkPrivileges, grantPrivileges } from './privileges.js';

export interface SchemaSettings extends ConnectionSettings {
  /** The folder of the migrations: a `file:` URL that ends with a slash. */
  readonly migrations: URL;
}

/** Any constant that nothing else in the database uses: the lock of this schema. */
const ADVISORY_LOCK = `hashtextextended(coalesce(current_schema(), ''), 7305120261121)`;

/** Milliseconds that a process waits for another that is migrating, and between two attempts to take the lock. */
const LOCK_TIMEOUT = 60_000;
const LOCK_INTERVAL = 250;

/** Milliseconds between two checks whether the server still responds while a migration runs. */
const PULSE_INTERVAL = 1_000;

/**
 * Checks the database, and brings its schema up to date if `mayMigrate`. Each statement of the check has the time limit
 * of the settings: on a server that responds, none takes long.
 *
 * @returns the applied files of a newer version that lets this one run
 * @throws SchemaMismatch if the database cannot be used as it is
 */
export async function prepareSchema(settings: SchemaSettings, mayMigrate: boolean): Promise<readonly string[]> {
  const { pending, newer, isTooNew } = await inTransaction(settings, async (client) => {
    await checkDatabase(client);
    await checkPrivileges(client);
    const state = await schemaState(client, settings.migrations);
    if (state.pending.length === 0 && !state.isTooNew) await checkConstraints(client);
    return state;
  });
  if (isTooNew) {
    throw new SchemaMismatch(
      `the database has ${newer.join(', ')}, which this version cannot run on. ` +
        'Start a newer one, or see "Roll back a version" in docs/runbook.md.',
    );
  }
  if (pending.length === 0) return newer;
  if (!mayMigrate) {
    const files = pending.map(({ file }) => file).join(', ');
    throw new SchemaMismatch(
      `the database lacks ${files}. Run \`node dist/cli/migrate.js\` in the folder of the service first.`,
    );
  }
  await migrateHost(settings);
  return [];
}

/** @throws SchemaMismatch if the database could lose what it acknowledged, or change the text of a booking */
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

/** What {@link migrate} did and found. */
export interface Migrated extends Pick<SchemaState, 'newer' | 'isTooNew'> {
  /** The files that were applied now. */
  readonly applied: readonly string[];
}

/**
 * Brings the schema up to date, on the first of the hosts that takes writes. A newer schema is left alone.
 *
 * @param grantTo the role of the service, if it does not own the tables; it is granted what it needs
 * @throws SchemaMismatch if an applied migration was changed, or the constraints of the promises are missing
 */
export function migrate(settings: SchemaSettings, grantTo?: string): Promise<Migrated> {
  return onWriter(new Hosts(settings.url), (url) => migrateHost({ ...settings, url }, grantTo));
}

/**
 * Brings the schema up to date under an advisory lock, so that replicas that start together do not migrate twice.
 *
 * It takes two connections. A migration may take minutes, and its own connection cannot show whether the server still
 * works on it. The other holds the lock, in a transaction without a snapshot, since `CREATE INDEX CONCURRENTLY` would
 * wait for one, and queries the server each second. If the server does not respond in time, the migration fails; if it
 * loses this process, it ends the transaction, and with it the lock.
 */
function migrateHost(settings: SchemaSettings, grantTo?: string): Promise<Migrated> {
  return inTransaction(settings, async (lock) => {
    // A stricter isolation level would keep one snapshot, and `transaction_timeout` (17 or newer) end the lock.
    await lock.query(
      `SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
      SET LOCAL idle_in_transaction_session_timeout = ${2 * (settings.statementTimeout + PULSE_INTERVAL)};
      SELECT set_config(name, '0', true) FROM pg_settings WHERE name = 'transaction_timeout'`,
    );
    await takeLock(lock);
    // With its own connection, also to read: the lock would keep a lock on the table of migrations.
    const migrated = await withConnection(settings, (client) => whileResponding(lock, applyPending(client, settings)));
    if (!migrated.isTooNew) await checkConstraints(lock);
    if (!migrated.isTooNew && grantTo !== undefined) await grantPrivileges(lock, grantTo);
    return migrated;
  }).catch((error: Error) => {
    if (!isPrivilegeMissing(error)) throw error;
    throw new SchemaMismatch(`${error.message}. As the owner of the tables, run \`node dist/cli/migrate.js\`.`);
  });
}

async function applyPending(client: Client, settings: SchemaSettings): Promise<Migrated> {
  const { pending, newer, isTooNew } = await schemaState(client, settings.migrations);
  if (pending.length > 0) {
    await applyAll(client, pending, await takesSessionParameters(settings));
  }
  return { applied: pending.map(({ file }) => file), newer, isTooNew };
}

/** Tries again and again, since a statement that waits for the lock would hold a snapshot. */
async function takeLock(client: Client): Promise<void> {
  for (let waited = 0; waited <= LOCK_TIMEOUT; waited += LOCK_INTERVAL) {
    const { rows } = await client.query<{ taken: boolean }>(
      `SELECT pg_try_advisory_xact_lock(${ADVISORY_LOCK}) AS taken`,
    );
    if (rows[0]?.taken) return;
    await sleep(LOCK_INTERVAL);
  }
  throw new DatabaseUnavailable('another process is migrating the schema.');
}

/** @throws Error of `client` if it stops responding before the work is done */
async function whileResponding<Result>(client: Client, work: Promise<Result>): Promise<Result> {
  const done = new AbortController();
  const pulse = async (): Promise<never> => {
    for (;;) {
      await sleep(PULSE_INTERVAL, undefined, { signal: done.signal });
      await client.query('SELECT');
    }
  };
  const failed = pulse();
  failed.catch(() => {});
  try {
    return await Promise.race([work, failed]);
  } finally {
    done.abort();
  }
}
