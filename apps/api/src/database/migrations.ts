import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Client } from 'pg';
import { SchemaMismatch } from './postgres-errors.js';

export interface Migration {
  /** The number that the file begins with; the first is 1. */
  readonly version: number;
  readonly file: string;
  readonly sql: string;
  /** SHA-256 of the file, in hexadecimal. */
  readonly checksum: string;
  /** The last migration that the oldest version of the service has that may run on this schema; null for this one. */
  readonly oldest: number | null;
}

/** What a database has, beside the migrations of this version of the service. */
export interface SchemaState {
  /** Migrations that are not applied yet, in their order; none on a newer schema. */
  readonly pending: readonly Migration[];
  /** Files of a newer version that are applied. */
  readonly newer: readonly string[];
  /** Whether each newer file lets this version run. */
  readonly isTooNew: boolean;
}

/** In a file, names the last migration of the oldest version that may run on its schema, as in `-- oldest: 0005`. */
const OLDEST = /^-- oldest: (\d{4})$/m;

/** @throws SchemaMismatch if an applied migration was changed */
export async function schemaState(client: Client, folder: URL): Promise<SchemaState> {
  const own = migrationsIn(folder);
  const applied = await appliedMigrations(client);
  const unknown = applied.filter(({ version }) => !own.some((candidate) => candidate.version === version));
  const pending = own.filter(({ version }) => !applied.some((candidate) => candidate.version === version));
  for (const { version, file, checksum } of applied) {
    const changed = own.find((candidate) => candidate.version === version && candidate.checksum !== checksum);
    if (changed === undefined) continue;
    throw new SchemaMismatch(`${file} was changed after it was applied. Undo that, and add a new migration.`);
  }
  if (unknown.length === 0) return { pending, newer: [], isTooNew: false };
  const last = own.at(-1)?.version ?? 0;
  const mayRun = pending.length === 0 && unknown.every(({ oldest }) => oldest !== null && oldest <= last);
  return { pending: [], newer: unknown.map(({ file }) => file), isTooNew: !mayRun };
}

async function appliedMigrations(client: Client): Promise<Omit<Migration, 'sql'>[]> {
  const { rows: found } = await client.query(`SELECT FROM pg_class WHERE oid = to_regclass('schema_migrations')`);
  if (found.length === 0) return [];
  // Versions before `oldest` made the table without that column.
  const { rows } = await client.query<Migration>(
    `SELECT version, file, checksum, (to_jsonb(applied) ->> 'oldest')::int AS oldest
      FROM schema_migrations AS applied ORDER BY version`,
  );
  return rows;
}

/** @param folder a `file:` URL that ends with a slash */
function migrationsIn(folder: URL): Migration[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  return files.toSorted().map((file) => {
    const content = readFileSync(new URL(file, folder));
    const sql = content.toString();
    const [, oldest] = OLDEST.exec(sql) ?? [];
    return {
      version: Number.parseInt(file, 10),
      file,
      sql,
      checksum: createHash('sha256').update(content).digest('hex'),
      oldest: oldest === undefined ? null : Number(oldest),
    };
  });
}
