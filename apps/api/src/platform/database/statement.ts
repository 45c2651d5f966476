import { hash } from 'node:crypto';

/** Keeps Pgpool-II from sending a read to a standby, which may lack acknowledged writes. */
const NO_STANDBY = '/*NO LOAD BALANCE*/ ';

export interface Statement {
  /** A statement with a name is prepared: the server parses and plans it once per connection. */
  readonly name?: string;
  readonly text: string;
  /**
   * Whether a read is as fast as reading a row by its key, or a write commits without waiting for the disk or a standby,
   * so that it must not wait behind slower ones.
   */
  readonly isShort?: boolean;
}

/**
 * The name is a hash of the text, so that versions of the service never share a name for different statements. The
 * members are on the prototype, since `pg` 8.23 copies a statement's own members for each query.
 */
export function prepared(sql: string, { isShort = false } = {}): Statement {
  const text = `${NO_STANDBY}${sql}`;
  const name = hash('sha256', text, 'base64url').slice(0, 16);
  return Object.create({ name, text, isShort }) as Statement;
}

export interface NamedStatement<Values> extends Statement {
  with(values: Values): [statement: Statement, values: Values[keyof Values][]];
}

/** A prepared statement with named parameters. @param text refers to each parameter as `$name` */
export function named<Values extends object>(text: string, options?: { isShort: boolean }): NamedStatement<Values> {
  const names = [...new Set(text.match(/(?<=\$)[a-z]\w*/gi))] as (keyof Values)[];
  const numbered = text.replaceAll(/\$([a-z]\w*)/gi, (_, name) => `$${names.indexOf(name as keyof Values) + 1}`);
  const statement = prepared(numbered, options);
  const withValues: NamedStatement<Values>['with'] = (values) => [statement, names.map((name) => values[name])];
  return Object.assign(Object.create(statement) as Statement, { with: withValues });
}
