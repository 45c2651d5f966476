import { prepared, type Statement } from '../../database/statement.js';
import { MAX_PAGE_BYTES } from '../bookings.repository.js';
import type { KeysetPosition, ListFilter } from '../cursor.js';
import {
  type Direction,
  type ListName,
  listTexts,
  type ListTexts,
  type Page,
  type Parameter,
  PARAMETERS,
} from './list-texts.js';

/** A character that no JSON text has (RFC 7464). */
export const SEPARATOR = '\u001e';

interface NumberedStatement {
  readonly statement: Statement;
  /** In the order of their numbers. */
  readonly parameters: readonly Parameter[];
}

interface PageStatements {
  readonly page: NumberedStatement;
  readonly largePage: NumberedStatement;
}

type ListStatements = Record<'first' | 'later', PageStatements>;

/** Of all lists, in both directions. */
const STATEMENTS = { ASC: statementsIn('ASC'), DESC: statementsIn('DESC') };

/**
 * The lists that are the parts of a list, in its order; a part is read when those before it have not filled the page. Only
 * the orders by start have two: bookings without a slot come last, and have a separate index.
 */
export function listParts({ sort, resourceId, from, to }: ListFilter, after: KeysetPosition | undefined): ListName[] {
  const isInWindow = from !== undefined || to !== undefined;
  if (sort === 'created_at' || sort === '-created_at') {
    if (resourceId === undefined) return [isInWindow ? 'by creation in a window' : 'by creation'];
    return [isInWindow ? 'of a resource by creation in a window' : 'of a resource by creation'];
  }
  const isFiltered = resourceId !== undefined || isInWindow;
  if (after?.at === null) return isFiltered ? [] : ['without a slot'];
  if (!isFiltered) return ['by start', 'without a slot'];
  if (resourceId === undefined) return ['by start'];
  return [isInWindow ? 'of a resource by start in a window' : 'of a resource by start'];
}

export interface ListStatement {
  readonly statement: Statement;
  readonly values: unknown[];
}

/**
 * The statement for one part of a page. Its one row has a `page`: the JSON of the bookings with {@link SEPARATOR} between
 * them, an empty text for one that is larger than its share of the room; null if there is none. Separate rows would
 * cost the database and `pg` more.
 */
export function pageStatement(part: ListName, page: Page): ListStatement {
  return bound(statementsOf(part, page).page, page);
}

/** The same with a row for each booking, up to the first that does not fit on the page. */
export function largePageStatement(part: ListName, page: Page): ListStatement {
  return bound(statementsOf(part, page).largePage, page);
}

function statementsOf(part: ListName, { filter, after }: Page): PageStatements {
  const statements = STATEMENTS[filter.sort.startsWith('-') ? 'DESC' : 'ASC'][part];
  // After the last booking with a slot, those without one begin.
  const isLater = part === 'without a slot' ? after?.at === null : after !== undefined;
  return statements[isLater ? 'later' : 'first'];
}

function bound({ statement, parameters }: NumberedStatement, page: Page): ListStatement {
  return { statement, values: parameters.map((name) => PARAMETERS[name].of(page)) };
}

function statementsIn(direction: Direction): Record<ListName, ListStatements> {
  const entries = Object.entries(listTexts(direction)).map(([name, { order, first, later }]) => [
    name,
    { first: pageStatements(first, order), later: pageStatements(later, order) },
  ]);
  return Object.fromEntries(entries) as Record<ListName, ListStatements>;
}

function pageStatements(rows: string, order: ListTexts['order']): PageStatements {
  // The length of a JSON text is known without reading it, also if it is stored out of line: one too large is not read.
  // The rows are sorted and not joined, so they keep their order (PostgreSQL, "Aggregate Functions").
  const page = `SELECT string_agg(CASE WHEN octet_length(json) <= :share THEN json ELSE '' END, E'\\x1e') AS page
  FROM (${rows}) AS candidates`;
  const largePage = `SELECT json FROM (
    SELECT *, sum(least(octet_length(json), ${MAX_PAGE_BYTES})) OVER
      (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
    FROM (${rows}) AS candidates
  ) AS measured WHERE before IS NULL OR before <= :room ORDER BY ${order}`;
  return { page: numbered(page), largePage: numbered(largePage) };
}

/** Numbers the parameters of a text: `:after_id` becomes `$3::uuid`. */
function numbered(text: string): NumberedStatement {
  const parameters: Parameter[] = [];
  const sql = text.replaceAll(/(?<!:):(\w+)/g, (_, name: Parameter) => {
    if (!parameters.includes(name)) parameters.push(name);
    return `$${parameters.indexOf(name) + 1}::${PARAMETERS[name].type}`;
  });
  return { statement: prepared(sql), parameters };
}
