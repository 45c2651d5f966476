import type { Client } from 'pg';
import { SchemaMismatch } from './postgres-errors.js';
import { prepared } from './statement.js';

const TABLE_RIGHTS = `('schema_migrations', '{SELECT}'::text[]), ('bookings', '{SELECT,INSERT}'),
  ('webhook_endpoints', '{SELECT,INSERT,UPDATE,DELETE}'), ('webhook_deliveries', '{SELECT,INSERT,UPDATE,DELETE}')`;

/**
 * True, or an error while a constraint is missing, as during a restore: `ON CONFLICT DO NOTHING` alone would insert.
 * PostgreSQL resolves the names when it parses the statement, and parses again when the table changes.
 */
export const HAS_CONSTRAINTS = `'slots_never_overlap'::regclass <> 'one_booking_for_a_key'::regclass`;

const missingRights = (role: string): string => `
  SELECT 'SCHEMA' AS kind, quote_ident(current_schema()) AS name, 'USAGE' AS needed
    WHERE NOT has_schema_privilege(${role}, current_schema(), 'USAGE')
  UNION ALL SELECT 'TABLE', name, needed FROM (VALUES ${TABLE_RIGHTS}) AS tables (name, rights), unnest(rights) AS needed
    WHERE NOT has_table_privilege(${role}, to_regclass(name), needed)`;

export interface Finding {
  readonly fault: keyof typeof SENTENCES;
  readonly names: string;
}

const SENTENCES = {
  durability: (names: string) => `the database has ${names} off, and a crash of its machine can lose bookings.`,
  encoding: (name: string) => `the database has the encoding ${name}, not UTF8. Create it with ENCODING 'UTF8'.`,
  setting: (settings: string) => `the database or the role has ${settings}: reset it.`,
  right: (names: string) =>
    `the role lacks ${names}. As the owner of the tables, run \`node dist/cli/migrate.js --grant-to ROLE\`.`,
  constraint: (names: string) =>
    `the table bookings lacks ${names}, and could take a slot or a key twice. See "Restore a backup" in docs/runbook.md.`,
  trigger: (names: string) =>
    `the table bookings lacks the trigger ${names}, or has it disabled, and would lose events. ` +
    'See "A constraint is missing" in docs/runbook.md.',
  rowSecurity: (names: string) =>
    `row level security hides rows of ${names} from the role. See "Rows go missing" in docs/runbook.md.`,
  swallower: (names: string) => `${names} can swallow rows. See "Rows go missing" in docs/runbook.md.`,
  path: (schemas: string) =>
    `the search_path of the role leads to the bookings of ${schemas}: constraints that one of them lacks would be found ` +
    'in the other. See "Tenants" in docs/deployment.md.',
};

const MISSING_RIGHTS = `SELECT format('%s on %s', needed, name) AS name FROM (${missingRights('current_user')}) AS missing`;

const TABLES = `(SELECT name, to_regclass(name) AS id FROM (VALUES ${TABLE_RIGHTS}) AS tables (name, rights)) AS tables`;

/** The lines of `ALTER ROLE … SET` and `ALTER DATABASE … SET` that count for new sessions, the strongest first. */
const NEW_SESSION_SETTINGS = `SELECT lower(line) AS line FROM pg_db_role_setting, unnest(setconfig) AS line
    WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
      AND setrole IN (0, (SELECT oid FROM pg_roles WHERE rolname = session_user))
    ORDER BY setrole = 0, setdatabase = 0`;

/** Faults that stop creates, or would break a promise. Each selects the `name` of what is missing or wrong. */
const FAULTS = {
  right: `${MISSING_RIGHTS} WHERE needed IN ('USAGE', 'SELECT', 'INSERT')`,
  encoding: `SELECT name FROM current_setting('server_encoding') AS name WHERE name <> 'UTF8'`,
  // Without triggers, as in a replica, events are lost.
  setting: `SELECT format('%s = %s', name, value) AS name
    FROM (VALUES ('default_transaction_read_only', 'on'), ('session_replication_role', 'replica')) AS faults (name, value)
    WHERE current_setting(name) = value OR format('%s=%s', name, value) =
      (SELECT line FROM (${NEW_SESSION_SETTINGS}) AS settings WHERE starts_with(line, name || '=') LIMIT 1)`,
  rowSecurity: `SELECT name FROM ${TABLES} WHERE row_security_active(id)`,
  // Only a trigger before a row, which has bits 0 and 1 of `tgtype`, may leave it out.
  swallower: `SELECT format('the rule %s on %s', rulename, name) AS name
      FROM ${TABLES} JOIN pg_rewrite ON ev_class = id WHERE ev_enabled <> 'D'
    UNION ALL SELECT format('the trigger %s on %s', tgname, name)
      FROM ${TABLES} JOIN pg_trigger ON tgrelid = id
      WHERE tgenabled <> 'D' AND NOT tgisinternal AND tgtype & 3 = 3`,
  constraint: `SELECT name FROM (VALUES ('slots_never_overlap', 'x'), ('one_booking_for_a_key', 'u')) AS needed (name, type)
    WHERE NOT EXISTS (
      SELECT FROM pg_constraint JOIN pg_index ON indexrelid = conindid
      WHERE conrelid = to_regclass('bookings') AND conname = name AND contype = type::"char" AND NOT condeferrable AND indisvalid
    )`,
  trigger: `SELECT name FROM unnest('{record_created_bookings,record_deleted_bookings}'::text[]) AS name
    WHERE NOT EXISTS (
      SELECT FROM pg_trigger WHERE tgrelid = to_regclass('bookings') AND tgname = name AND tgenabled IN ('O', 'A')
    )`,
  path: `SELECT string_agg(nspname, ' and ') AS name FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE relname = 'slots_never_overlap' AND nspname = ANY (current_schemas(false)) HAVING count(*) > 1`,
};

/** Faults that stop no create. */
const RISKS = {
  right: MISSING_RIGHTS,
  durability: `SELECT name FROM unnest('{fsync,full_page_writes}'::text[]) AS name WHERE current_setting(name) = 'off'`,
};

function selectAll(faults: Record<string, string>): string {
  const selects = Object.entries(faults).map(
    ([fault, sql]) => `SELECT '${fault}' AS fault, name FROM (${sql}) AS found`,
  );
  return `SELECT fault, string_agg(name, ' and ') AS names FROM (${selects.join(' UNION ALL ')}) AS findings GROUP BY fault`;
}

export const FIND_FAULTS = prepared(selectAll(FAULTS), { isShort: true });

export function sentencesOf(findings: readonly Finding[]): string[] {
  return findings.map(({ fault, names }) => SENTENCES[fault](names));
}

/** @returns warnings @throws SchemaMismatch if no booking can be created */
export async function checkDatabase(client: Client): Promise<string[]> {
  const { rows: faults } = await client.query<Finding>(FIND_FAULTS.text);
  if (faults.length > 0) throw new SchemaMismatch(sentencesOf(faults).join(' '));
  return sentencesOf((await client.query<Finding>(selectAll(RISKS))).rows);
}

/** @throws SchemaMismatch if the current role may not grant a right, of which PostgreSQL only warns */
export async function grantRights(client: Client, role: string): Promise<void> {
  const findMissing = async () =>
    (await client.query<{ kind: string; name: string; needed: string }>(missingRights('$1::name'), [role])).rows;
  for (const { kind, name, needed } of await findMissing()) {
    await client.query(`GRANT ${needed} ON ${kind} ${name} TO ${client.escapeIdentifier(role)}`);
  }
  const missing = (await findMissing()).map(({ needed, name }) => `${needed} on ${name}`);
  if (missing.length > 0) {
    throw new SchemaMismatch(
      `the role of DATABASE_URL may not grant ${missing.join(', ')}: the owner of the tables may.`,
    );
  }
}
