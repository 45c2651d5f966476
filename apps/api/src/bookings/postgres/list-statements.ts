import type { Statement } from '../../database/statement.js';
import type { BookingsQuery } from '../bookings.repository.js';
import { LISTS, WITHOUT_SLOT } from './list-texts.js';
import type { NumberedStatement, PageStatements, Parameter } from './page-statements.js';

/**
 * One part of a list; a part is read when those before it have not filled the page. Only the orders by start have two:
 * bookings without a slot come last, and have a separate index.
 */
export type ListPart = 'by-creation' | 'by-start' | 'without-slot';

/** The parts of a list, in its order. */
export function listParts({ sort, resourceId, from, to, after }: BookingsQuery): ListPart[] {
  if (sort === 'created_at' || sort === '-created_at') return ['by-creation'];
  const isFiltered = resourceId !== undefined || from !== undefined || to !== undefined;
  const withoutSlot: ListPart[] = isFiltered ? [] : ['without-slot'];
  return after?.at === null ? withoutSlot : ['by-start', ...withoutSlot];
}

export interface ListStatement {
  readonly statement: Statement;
  readonly values: unknown[];
}

/**
 * The statement for one part of a page. Its one row has a `page`: the JSON of the bookings with {@link SEPARATOR} between
 * them, an empty text for one that is larger than its share of the room; null if there is none.
 *
 * @param limit bookings at most
 * @param room bytes of JSON that fit on the page
 */
export function pageStatement(part: ListPart, query: BookingsQuery, limit: number, room: number): ListStatement {
  return bound(statementsOf(part, query).page, query, limit, room);
}

/** The same with a row for each booking, up to the first that does not fit on the page. */
export function largePageStatement(part: ListPart, query: BookingsQuery, limit: number, room: number): ListStatement {
  return bound(statementsOf(part, query).largePage, query, limit, room);
}

function statementsOf(part: ListPart, { sort, resourceId, from, to, after }: BookingsQuery): PageStatements {
  const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
  // After the last booking with a slot, those without one begin.
  if (part === 'without-slot') return WITHOUT_SLOT[direction][after?.at === null ? 'later' : 'first'];
  const bounds = from === undefined ? (to === undefined ? 'none' : 'to') : to === undefined ? 'from' : 'both';
  const list = LISTS[part][resourceId === undefined ? 'ofAll' : 'ofResource'][bounds];
  return list[direction][after === undefined ? 'first' : 'later'];
}

function bound(
  { statement, parameters }: NumberedStatement,
  { resourceId, from, to, after }: BookingsQuery,
  limit: number,
  room: number,
): ListStatement {
  const values: Record<Parameter, unknown> = {
    resource_id: resourceId,
    from,
    to,
    after_at: after?.at,
    after_id: after?.bookingId,
    limit,
    room,
    share: Math.floor(room / limit),
  };
  return { statement, values: parameters.map((name) => values[name]) };
}
