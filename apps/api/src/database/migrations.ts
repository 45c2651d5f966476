import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Client } from 'pg';

export interface Migration {
  /** The number that the file begins with; the first is 1. */
  readonly version: number;
  readonly file: string;
  readonly sql: string;
  /** SHA-256 of the file, in hexadecimal. */
  readonly checksum: string;
}

/** Marks a file whose statements PostgreSQL does not take in a transaction: `CREATE INDEX CONCURRENTLY` and its like. */
const OUTSIDE = /^-- runs: outside a transaction$/m;

/** Milliseconds that a migration waits for a lock, such as that of a backup that runs. */
const LOCK_TIMEOUT = 60_000;

/** All migrations of a folder, in their order. @param folder a `file:` URL that ends with a slash */
export function migrationsIn(folder: URL): Migration[] {
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

/**
 * Applies one migration, and notes that it is applied. Within a transaction it is applied whole or not at all. One
 * outside of a transaction may be broken off half-way and is run again from its beginning, so each of its
 * statements bears that. It may take as long as it needs.
 */
export async function apply(client: Client, { version, file, sql, checksum }: Migration): Promise<void> {
  const note = async (): Promise<void> => {
    await client.query('INSERT INTO schema_migrations (version, file, checksum) VALUES ($1, $2, $3)', [
      version,
      file,
      checksum,
    ]);
  };
  if (OUTSIDE.test(sql)) {
    // One by one: what is sent together is one transaction.
    for (const statement of statementsOf(sql)) await client.query(statement);
    return note();
  }
  await client.query(`BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = ${LOCK_TIMEOUT}`);
  try {
    await client.query(sql);
    await note();
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
