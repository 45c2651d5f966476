import { prepared, type Statement } from '../../database/statement.js';
import { MAX_PAGE_BYTES } from '../bookings.repository.js';

/** What `{name}` in a text is, where it differs between the directions of a list. */
const DIRECTIONS = {
  ASC: { direction: 'ASC', beyond: '>', far: '(-1125899906842624)::bigint' },
  DESC: { direction: 'DESC', beyond: '<', far: '1125899906842624::bigint' },
};
export type Direction = keyof typeof DIRECTIONS;

/** The type of every other `{name}`, a parameter. */
const PARAMETERS = {
  resource_id: 'text',
  from: 'bigint',
  to: 'bigint',
  after_at: 'bigint',
  after_id: 'uuid',
  limit: 'bigint',
  room: 'bigint',
  share: 'bigint',
};
export type Parameter = keyof typeof PARAMETERS;

export interface NumberedStatement {
  readonly statement: Statement;
  /** In the order of their numbers. */
  readonly parameters: readonly Parameter[];
}

export interface PageStatements {
  /**
   * One row with the JSON of all bookings in one text, {@link SEPARATOR} between them, or null: separate rows take
   * the database and `pg` a fifth of the time of a list. A booking that is larger than `share` bytes is an empty text.
   */
  readonly page: NumberedStatement;
  /** A row for each booking, up to the first that does not fit into `room` bytes. */
  readonly largePage: NumberedStatement;
}

/** A character that no JSON text has (RFC 7464). */
export const SEPARATOR = '\u001e';

export type ListStatements = Record<Direction, { readonly first: PageStatements; readonly later: PageStatements }>;

/**
 * The statements of a list.
 *
 * @param order columns that the bookings are sorted by
 * @param first selects them from the beginning
 * @param later selects those after a position
 */
export function listStatements(
  order: string,
  first: string,
  later: string | Record<Direction, string>,
): ListStatements {
  const inDirection = (direction: Direction) => ({
    first: pageStatements(first, order, direction),
    later: pageStatements(typeof later === 'string' ? later : later[direction], order, direction),
  });
  return { ASC: inDirection('ASC'), DESC: inDirection('DESC') };
}

function pageStatements(rows: string, order: string, direction: Direction): PageStatements {
  // The length of a JSON text is known without reading it, also if it is stored out of line: one too large is not read.
  // The rows are sorted and not joined, so they keep their order (PostgreSQL, "Aggregate Functions").
  const page = `SELECT string_agg(CASE WHEN octet_length(json) <= {share} THEN json ELSE '' END, E'\\x1e') AS page
  FROM (
    ${rows}
  ) AS candidates`;
  const largePage = `SELECT json FROM (
    SELECT *, sum(least(octet_length(json), ${MAX_PAGE_BYTES})) OVER
      (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
    FROM (
      ${rows}
    ) AS candidates
  ) AS measured WHERE before IS NULL OR before <= {room} ORDER BY ${order}`;
  return { page: numbered(page, direction), largePage: numbered(largePage, direction) };
}

/** Numbers the parameters of a text: `{after_id}` becomes `$3::uuid`. */
function numbered(text: string, direction: Direction): NumberedStatement {
  const constants: Record<string, string> = DIRECTIONS[direction];
  const parameters: Parameter[] = [];
  const sql = text.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name in constants) return constants[name]!;
    const parameter = name as Parameter;
    if (!parameters.includes(parameter)) parameters.push(parameter);
    return `$${parameters.indexOf(parameter) + 1}::${PARAMETERS[parameter]}`;
  });
  return { statement: prepared(sql), parameters };
}
