import type { Client } from 'pg';
import { SchemaMismatch } from './postgres-errors.js';
import { prepared } from './statement.js';

/**
 * True while the constraints are there that the promises rest on; a statement with it is rejected as unavailable while
 * one of them is not. `ON CONFLICT DO NOTHING` alone would insert without them, as in a table that is being restored. It
 * costs nothing: PostgreSQL resolves the names when it parses the statement, and parses it again after the table was
 * changed.
 */
export const HAS_CONSTRAINTS = `'slots_never_overlap'::regclass <> 'one_booking_for_a_key'::regclass`;

/** The names of those that are missing, or do not hold. */
export const FIND_LOST_CONSTRAINTS = prepared(
  `SELECT name FROM (VALUES ('slots_never_overlap', 'x'), ('one_booking_for_a_key', 'u')) AS needed (name, type)
    WHERE NOT EXISTS (
      SELECT FROM pg_constraint JOIN pg_index ON indexrelid = conindid
      WHERE conrelid = 'bookings'::regclass AND conname = name AND contype = type::"char" AND NOT condeferrable AND indisvalid
    )`,
);

/** @throws SchemaMismatch if two bookings could hold one slot or one key, or lists would fail */
export async function checkConstraints(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(FIND_LOST_CONSTRAINTS.text);
  if (rows.length > 0) throw new SchemaMismatch(describeLost(rows));
  await checkSearchPath(client);
}

async function checkSearchPath(client: Client): Promise<void> {
  const { rows: found } = await client.query(`SELECT WHERE to_regoperator('<->(bigint,bigint)') IS NOT NULL`);
  if (found.length === 0) {
    throw new SchemaMismatch('the schema of the extension btree_gist is not in the search_path of the role. Add it.');
  }
  const { rows: schemas } = await client.query<{ name: string }>(
    `SELECT nspname AS name FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
      WHERE relname = 'slots_never_overlap' AND nspname = ANY (current_schemas(false))`,
  );
  if (schemas.length > 1) {
    const names = schemas.map(({ name }) => name).join(' and ');
    throw new SchemaMismatch(
      `the search_path of the role leads to the bookings of ${names}: constraints that one of them lacks would be found ` +
        'in the other. See "Tenants" in docs/deployment.md.',
    );
  }
}

export function describeLost(rows: readonly { name: string }[]): string {
  const names = rows.map(({ name }) => name).join(' and ');
  return (
    `the table bookings lacks ${names}, as after a restore that failed in part, and could take a slot or a key twice. ` +
    'See "Restore a backup" in docs/runbook.md.'
  );
}
