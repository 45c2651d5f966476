import type { Client } from 'pg';
import { SchemaMismatch } from './postgres-errors.js';
import { prepared, type Statement } from './statement.js';

/** What a part of the service needs from the database. Nothing may hide or swallow rows of the listed tables. */
export interface SchemaNeeds {
  /** The rights that the service's role needs, by table. */
  readonly rights: Readonly<Record<string, readonly ('SELECT' | 'INSERT' | 'UPDATE' | 'DELETE')[]>>;
  readonly faults: readonly Fault[];
}

interface Fault {
  /** Selects the `name` of each thing that is missing or wrong. */
  readonly find: string;
  /** Says in a sentence what is wrong and what to do. @param names joined by "and" */
  readonly sentence: (names: string) => string;
}

interface Finding {
  /** Index of the fault in the list that the search was given. */
  readonly fault: number;
  readonly names: string;
}

/** Searches for several faults in one statement. @returns a sentence for each that was found */
type FaultSearch = (
  send: (statement: Statement) => Promise<{ readonly rows: readonly Finding[] }>,
) => Promise<string[]>;

function searchFor(faults: readonly Fault[]): FaultSearch {
  const selects = faults.map(({ find }, place) => `SELECT ${place} AS fault, name FROM (${find}) AS found`);
  const statement = prepared(
    `SELECT fault, string_agg(name, ' and ') AS names FROM (${selects.join(' UNION ALL ')}) AS findings
      GROUP BY fault ORDER BY fault`,
    { isShort: true },
  );
  return async (send) => {
    const { rows } = await send(statement);
    return rows.map(({ fault, names }) => faults[fault]!.sentence(names));
  };
}

/** The replication role that `ALTER ROLE … SET` or `ALTER DATABASE … SET` gives new sessions, which may lose events. */
const NEW_REPLICATION_ROLE = `SELECT lower(line) FROM pg_db_role_setting, unnest(setconfig) AS line
    WHERE starts_with(line, 'session_replication_role=')
      AND setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
      AND setrole IN (0, (SELECT oid FROM pg_roles WHERE rolname = session_user))
    ORDER BY setrole = 0, setdatabase = 0 LIMIT 1`;

const ENCODING: Fault = {
  find: `SELECT name FROM current_setting('server_encoding') AS name WHERE name <> 'UTF8'`,
  sentence: (name) => `the database has the encoding ${name}, not UTF8. Create it with ENCODING 'UTF8'.`,
};

const SETTING: Fault = {
  // Ordinary triggers do not fire with `session_replication_role = replica`.
  find: `SELECT format('%s = %s', name, value) AS name
    FROM (VALUES ('default_transaction_read_only', 'on'), ('session_replication_role', 'replica'))
      AS faults (name, value)
    WHERE current_setting(name) = value OR format('%s=%s', name, value) = (${NEW_REPLICATION_ROLE})`,
  sentence: (settings) => `the database or the role has ${settings}: reset it.`,
};

const DURABILITY: Fault = {
  find: `SELECT name FROM unnest('{fsync,full_page_writes}'::text[]) AS name WHERE current_setting(name) = 'off'`,
  sentence: (names) => `the database has ${names} off, and a crash of its machine can lose what it has committed.`,
};

/** A crash of the server empties such a table. */
const unlogged = (tables: string): Fault => ({
  find: `SELECT name FROM ${tables} JOIN pg_class ON pg_class.oid = to_regclass(name) WHERE relpersistence <> 'p'`,
  sentence: (names) => `a crash of the server would empty ${names}. Run ALTER TABLE … SET LOGGED.`,
});

const rowSecurity = (tables: string): Fault => ({
  find: `SELECT name FROM ${tables} WHERE row_security_active(to_regclass(name))`,
  sentence: (names) =>
    `row level security hides rows of ${names} from the role. See "Rows go missing" in docs/runbook.md.`,
});

/**
 * A rule, or a BEFORE trigger for each row (bits 0 and 1 of `tgtype`) that fires in ordinary sessions, can discard a row:
 * on INSERT or DELETE (bits 2 and 3), and on UPDATE where the service updates rows.
 */
const swallower = (tables: string): Fault => ({
  find: `SELECT format('the rule %s on %s', rulename, name) AS name
      FROM ${tables} JOIN pg_rewrite ON ev_class = to_regclass(name) WHERE ev_enabled <> 'D'
    UNION ALL SELECT format('the trigger %s on %s', tgname, name)
      FROM ${tables} JOIN pg_trigger ON tgrelid = to_regclass(name)
      WHERE tgenabled IN ('O', 'A') AND NOT tgisinternal AND tgtype & 3 = 3
        AND (tgtype & 12 > 0 OR 'UPDATE' = ANY (rights))`,
  sentence: (names) => `${names} can swallow rows. See "Rows go missing" in docs/runbook.md.`,
});

const lackOfRights = (missing: string, condition = 'true'): Fault => ({
  find: `SELECT format('%s on %s', needed, name) AS name FROM (${missing}) AS missing WHERE ${condition}`,
  sentence: (names) =>
    `the role lacks ${names}. As the owner of the tables, run \`node dist/cli/migrate.js --grant-to ROLE\`.`,
});

/** Checks a database for everything that the parts of the service need. */
export class SchemaCheck {
  /** The tables as an item of a FROM clause, with the columns `name` and `rights`. */
  private readonly tables: string;
  /** Finds what prevents writes or breaks a promise. */
  readonly findFaults: FaultSearch;
  private readonly findWarnings: FaultSearch;

  constructor(needs: readonly SchemaNeeds[]) {
    const rights = needs.flatMap((need) => Object.entries(need.rights));
    const rows = [['schema_migrations', ['SELECT']] as const, ...rights].map(
      ([table, needed]) => `('${table}', '{${needed.join(',')}}'::text[])`,
    );
    this.tables = `(VALUES ${rows.join(', ')}) AS tables (name, rights)`;
    const missing = this.missingRights('current_user');
    this.findFaults = searchFor([
      lackOfRights(missing, `needed IN ('USAGE', 'SELECT', 'INSERT')`),
      ENCODING,
      SETTING,
      unlogged(this.tables),
      rowSecurity(this.tables),
      swallower(this.tables),
      ...needs.flatMap((need) => need.faults),
    ]);
    this.findWarnings = searchFor([lackOfRights(missing), DURABILITY]);
  }

  /** @returns warnings @throws SchemaMismatch if the service cannot use the database */
  async run(client: Client): Promise<string[]> {
    const send = ({ text }: Statement) => client.query<Finding>(text);
    const faults = await this.findFaults(send);
    if (faults.length > 0) throw new SchemaMismatch(faults.join(' '));
    return this.findWarnings(send);
  }

  /** @throws SchemaMismatch if the current role may not grant a right; PostgreSQL itself may only warn */
  async grantRights(client: Client, role: string): Promise<void> {
    const text = this.missingRights('$1::name');
    const findMissing = async () =>
      (await client.query<{ kind: string; name: string; needed: string }>(text, [role])).rows;
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

  private missingRights(role: string): string {
    return `SELECT 'SCHEMA' AS kind, quote_ident(current_schema()) AS name, 'USAGE' AS needed
        WHERE NOT has_schema_privilege(${role}, current_schema(), 'USAGE')
      UNION ALL SELECT 'TABLE', name, needed FROM ${this.tables}, unnest(rights) AS needed
        WHERE NOT has_table_privilege(${role}, to_regclass(name), needed)`;
  }
}
