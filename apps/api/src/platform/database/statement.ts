import { createHash } from 'node:crypto';

/** Rows that a statement of background work changes, at most, so that it stays within its time limit. */
export const MAX_ROWS = 10_000;

export interface Statement {
  /** A statement with a name is prepared: the server parses and plans it once for each connection. */
  readonly name?: string;
  readonly text: string;
}

/**
 * A statement for a text that is always the same. The name depends on the text, so that no session has another statement
 * of that name, of another version of the service.
 *
 * Its members are those of its prototype, so a spread of it is empty: `pg` 8.23 copies the own members of a statement for
 * each query.
 */
export function prepared(text: string): Statement {
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 16);
  return Object.create({ name, text }) as Statement;
}

/** A prepared statement whose text has a `$name` for each parameter. */
export interface NamedStatement<Values> extends Statement {
  /** The statement with its parameters in the order in which PostgreSQL takes them. */
  with(values: Values): [statement: Statement, values: unknown[]];
}

export function named<Values extends object>(text: string): NamedStatement<Values> {
  const names = [...new Set(text.match(/(?<=\$)[a-z]\w*/gi))] as (keyof Values)[];
  const numbered = text.replaceAll(/\$([a-z]\w*)/gi, (_, name) => `$${names.indexOf(name as keyof Values) + 1}`);
  const statement = prepared(numbered);
  return Object.assign(Object.create(statement) as Statement, {
    with: (values: Values): [Statement, unknown[]] => [statement, names.map((name) => values[name])],
  });
}
