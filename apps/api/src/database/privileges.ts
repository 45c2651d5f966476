import type { Client } from 'pg';
import { SchemaMismatch } from './postgres-errors.js';

/** What the service does with each table, where its role does not own them. */
const PRIVILEGES: Record<string, readonly string[]> = {
  schema_migrations: ['SELECT'],
  bookings: ['SELECT', 'INSERT'],
  rate_limits: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  webhook_endpoints: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  webhook_deliveries: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
};

interface Privilege {
  /** Of a table. */
  readonly name: string;
  readonly privilege: string;
}

/**
 * Grants a role what the service needs and the role lacks, in a schema that is up to date.
 *
 * @throws SchemaMismatch if the current role may not, which PostgreSQL only warns of where it has the right itself
 */
export async function grantPrivileges(client: Client, role: string): Promise<void> {
  const grantee = client.escapeIdentifier(role);
  const { rows } = await client.query<{ name: string }>(
    `SELECT current_schema() AS name WHERE NOT has_schema_privilege($1, current_schema(), 'USAGE')`,
    [role],
  );
  for (const { name } of rows)
    await client.query(`GRANT USAGE ON SCHEMA ${client.escapeIdentifier(name)} TO ${grantee}`);
  for (const { name, privilege } of await findMissing(client, role)) {
    await client.query(`GRANT ${privilege} ON ${name} TO ${grantee}`);
  }
  const missing = await findMissing(client, role);
  if (missing.length > 0) {
    throw new SchemaMismatch(
      `the role of DATABASE_URL may not grant ${describe(missing)}: the owner of the tables may.`,
    );
  }
}

/** @throws SchemaMismatch if the current role may not do what the service does */
export async function checkPrivileges(client: Client): Promise<void> {
  const { rows } = await client.query<{ role: string }>('SELECT current_user AS role');
  const { role } = rows[0]!;
  const missing = await findMissing(client, role);
  if (missing.length === 0) return;
  throw new SchemaMismatch(
    `the role ${role} lacks ${describe(missing)}. As the owner of the tables, run \`node dist/cli/migrate.js --grant-to ${role}\`.`,
  );
}

const describe = (privileges: readonly Privilege[]) =>
  privileges.map(({ name, privilege }) => `${privilege} on ${name}`).join(', ');

/** Of the tables that exist: a service without all migrations says so itself. */
async function findMissing(client: Client, role: string): Promise<Privilege[]> {
  const needed = Object.entries(PRIVILEGES).flatMap(([name, privileges]) =>
    privileges.map((privilege) => ({ name, privilege })),
  );
  const { rows } = await client.query<Privilege>(
    `SELECT name, privilege FROM unnest($2::text[], $3::text[]) AS needed (name, privilege)
      WHERE NOT has_table_privilege($1, to_regclass(name), privilege)`,
    [role, needed.map(({ name }) => name), needed.map(({ privilege }) => privilege)],
  );
  return rows;
}
