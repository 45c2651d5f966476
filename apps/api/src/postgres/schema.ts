import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Client } from 'pg';

/** The database does not fit this service: no waiting mends that. */
export class SchemaMismatch extends Error {
  override readonly name = 'SchemaMismatch';
}

interface Migration {
  /** The number that the file begins with; the first is 1. */
  readonly version: number;
  readonly file: string;
  readonly checksum: string;
}

const FOLDER = new URL('../../migrations/', import.meta.url);

/** Any constant will do, as long as all replicas share it and nothing else in the database uses it. */
const ADVISORY_LOCK = 7_305_120_261_121;

/**
 * Brings the schema up to date inside the transaction of `client`, under an advisory lock, so that
 * replicas that start together end in one schema.
 *
 * @returns the files that were applied now
 * @throws SchemaMismatch when the schema is newer than this service, or an applied migration was changed
 */
export async function migrate(client: Client): Promise<string[]> {
  await client.query(`SELECT pg_advisory_xact_lock(${ADVISORY_LOCK})`);
  await client.query(`
    CREATE TABLE IF NOT EXISTS schema_migrations (
      version integer PRIMARY KEY,
      file text NOT NULL,
      checksum text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now()
    )`);
  const pending = await pendingMigrations(client);
  for (const { version, file, checksum } of pending) {
    await client.query(readFileSync(new URL(file, FOLDER), 'utf8'));
    await client.query('INSERT INTO schema_migrations (version, file, checksum) VALUES ($1, $2, $3)', [
      version,
      file,
      checksum,
    ]);
  }
  return pending.map(({ file }) => file);
}

/**
 * Looks whether the schema is the one of this service, and changes nothing.
 *
 * @throws SchemaMismatch when it is not
 */
export async function checkSchema(client: Client): Promise<void> {
  const { rows } = await client.query<{ found: boolean }>(
    `SELECT to_regclass('schema_migrations') IS NOT NULL AS found`,
  );
  const pending = rows[0]?.found ? await pendingMigrations(client) : ownMigrations();
  if (pending.length > 0) {
    const files = pending.map(({ file }) => file).join(', ');
    throw new SchemaMismatch(`the database lacks ${files}. Run \`pnpm --filter api migrate\` first.`);
  }
}

/**
 * A server that answers before it has written may lose what was acknowledged.
 *
 * @throws SchemaMismatch when the database is set so
 */
export async function checkDurability(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT name FROM pg_settings WHERE name IN ('synchronous_commit', 'fsync', 'full_page_writes') AND setting = 'off'`,
  );
  if (rows.length > 0) {
    const names = rows.map(({ name }) => name).join(', ');
    throw new SchemaMismatch(`the database has ${names} off and could lose acknowledged bookings. Switch it on.`);
  }
}

async function pendingMigrations(client: Client): Promise<Migration[]> {
  const own = ownMigrations();
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

function ownMigrations(): Migration[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.sql'));
  return files.toSorted().map((file) => ({
    version: Number.parseInt(file, 10),
    file,
    checksum: createHash('sha256')
      .update(readFileSync(new URL(file, FOLDER)))
      .digest('hex'),
  }));
}
