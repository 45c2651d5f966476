import type { Statement } from '../../database/statement.js';
import { type BookingsQuery, MAX_PAGE_BYTES } from '../bookings.repository.js';

/**
 * One part of a list; a part is asked for when those before it have not filled the page. Only the orders
 * by start have two: bookings without a slot come last, and are in an index of their own.
 */
export type ListPart = 'by-creation' | 'by-start' | 'without-slot';

const COLUMNS = 'booking_id, resource_id, slot_start, slot_end, json';

/**
 * Bookings that come next in the list without a window, and are looked at for each of a page of the window. They fill
 * the page where one in 50 is in the window, on one resource where one in three is: there each costs a page of the table.
 */
const NEXT = { ofAll: 50, ofResource: 3 };

/** The slot as a range, as the index `bookings_in_order` has it. */
const RANGE = `int8range(slot_start, slot_end, '[)')`;

/** Milliseconds since 1970 at which an id was made: its first 48 bits, as the indexes have them. */
const createdMs = (id: string): string => `('x' || left(translate(${id}::text, '-', ''), 12))::bit(48)::bigint`;
const CREATED_MS = `(${createdMs('booking_id')})`;

/**
 * Beyond every instant of a booking, and near enough that distances to it are exact as double precision.
 * The nearest to it come first: that is how a GiST index gives an order (PostgreSQL, "btree_gist").
 */
const FAR = { ASC: `(-1125899906842624)::bigint`, DESC: `1125899906842624::bigint` };

/** The parts of a list, in its order. */
export function listParts({ sort, resourceId, from, to, after }: BookingsQuery): ListPart[] {
  if (sort === 'created_at' || sort === '-created_at') return ['by-creation'];
  const isFiltered = resourceId !== undefined || from !== undefined || to !== undefined;
  const withoutSlot: ListPart[] = isFiltered ? [] : ['without-slot'];
  return after?.at === null ? withoutSlot : ['by-start', ...withoutSlot];
}

export interface ListStatement extends Statement {
  readonly values: unknown[];
}

/** Between the JSON of two bookings: a character that no JSON text has (RFC 7464). */
export const SEPARATOR = '\u001e';

/**
 * The statement for one part of a page, as one row with one text: rows of their own take the database and `pg` a
 * fifth of the time of a list. A booking that is larger than its share of the room is an empty text in it. Null where
 * there is none.
 *
 * @param limit bookings at most
 * @param room bytes of JSON that fit on the page
 */
export function pageStatement(part: ListPart, query: BookingsQuery, limit: number, room: number): ListStatement {
  const { rows, values, bind } = partOf(part, query, limit);
  // The length of a JSON is known without reading it, also where it is stored apart: what is too large is not read.
  const json = `CASE WHEN octet_length(json) <= ${bind(Math.floor(room / limit), 'bigint')} THEN json ELSE '' END`;
  // In the order of the rows, which are sorted and not joined (PostgreSQL, "Aggregate Functions").
  return { text: `SELECT string_agg(${json}, E'\\x1e') AS page FROM (${rows}) AS candidates`, values };
}

/** The same, row by row, up to the first that does not fit on the page. */
export function largePageStatement(part: ListPart, query: BookingsQuery, limit: number, room: number): ListStatement {
  const { rows, order, values, bind } = partOf(part, query, limit);
  const text = `SELECT json FROM (
      SELECT *, sum(least(octet_length(json), ${MAX_PAGE_BYTES})) OVER
        (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
      FROM (${rows}) AS candidates
    ) AS measured WHERE before IS NULL OR before <= ${bind(room, 'bigint')} ORDER BY ${order}`;
  return { text, values };
}

/**
 * The bookings of one part, in its order. They are read through one index from the position `after` on, never by
 * an offset, and cost what the page costs, whatever the window.
 */
function partOf(part: ListPart, query: BookingsQuery, limit: number) {
  const { sort, resourceId, from, to, after } = query;
  const values: unknown[] = [];
  const bind = (value: unknown, type: string): string => `$${values.push(value)}::${type}`;
  /**
   * Hides a value from the planner, which then expects a fixed share of the rows. Where it believes a window, or
   * the rest of a walk, to be nearly empty (from old statistics, or from its defaults), it reads all of it and
   * sorts. Not knowing the limit either, it always takes the index that gives the order.
   */
  const unseen = (value: string): string => `(SELECT ${value})`;
  const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
  const beyond = direction === 'DESC' ? '<' : '>';
  const max = `(${bind(limit, 'bigint')})`;
  const resource = resourceId === undefined ? undefined : bind(resourceId, 'text');
  const ofResource = resource === undefined ? [] : [`resource_id = ${resource}`];

  const isWindowed = from !== undefined || to !== undefined;
  /** Where it is open, all slots are in it. */
  const inWindow = (): string =>
    `${RANGE} && ${unseen(`int8range(${bind(from ?? null, 'bigint')}, ${bind(to ?? null, 'bigint')}, '[)')`)}`;
  /** The same for one resource: its slots do not overlap, so only the last that starts before the window can reach into it. */
  const inWindowOf = (name: string): string[] => {
    const before = to === undefined ? [] : [`slot_start < ${unseen(bind(to, 'bigint'))}`];
    if (from === undefined) return before;
    const start = unseen(bind(from, 'bigint'));
    const first = `(SELECT max(slot_start) FROM bookings WHERE resource_id = ${name} AND slot_start < ${start})`;
    return [`slot_start >= coalesce(${first}, ${start})`, `slot_end > ${start}`, ...before];
  };
  const afterId = (): string[] =>
    after === undefined ? [] : [`booking_id ${beyond} ${unseen(bind(after.bookingId, 'uuid'))}`];
  /** A condition that no index is used for, and that the planner expects of nearly all rows. */
  const filtered = (condition: string): string => `CASE WHEN ${condition} THEN true END IS NOT NULL`;
  /** The order of ids is that of creation. */
  const afterCreated = (): string[] => {
    if (after === undefined) return [];
    const id = bind(after.bookingId, 'uuid');
    return [`${CREATED_MS} ${beyond}= ${unseen(createdMs(id))}`, filtered(`booking_id ${beyond} ${id}`)];
  };

  const select = (conditions: string[]): string =>
    `SELECT ${COLUMNS} FROM bookings${conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''}`;
  const first = (conditions: string[], order: string, rows = max): string =>
    `${select(conditions)} ORDER BY ${order} LIMIT ${rows}`;
  /** Distances leave bookings of one millisecond in no order: the outer one puts them into theirs. */
  const nearest = (conditions: string[], ...instants: string[]): string =>
    `(${select(conditions)} ORDER BY ${instants.map((instant) => `${instant} <-> ${FAR[direction]}`).join(', ')}
      FETCH FIRST ${unseen(max)} ROWS WITH TIES)`;
  const firstOf = (rows: string, order: string): string =>
    `SELECT ${COLUMNS} FROM (${rows}) AS nearest ORDER BY ${order} LIMIT ${max}`;

  const byId = `booking_id ${direction}`;
  const byStart = `slot_start ${direction}, booking_id ${direction}`;

  // As a range, the order is that of the index of resources alone, and not of the primary key too.
  const sameResource =
    resource === undefined ? [] : [`resource_id BETWEEN ${unseen(resource)} AND ${unseen(resource)}`];
  const byResourceAndId = `resource_id ${direction}, ${byId}`;
  /**
   * The page out of the bookings that come next in the whole list, where enough of them are in the window; only
   * else `rows`. The index of windows keeps what is near in time of the slot together, whenever it was made: in the
   * middle of a walk it looks into each part of the window.
   */
  const nextOr = (rows: string, next: string, overlapping: string[]): string =>
    firstOf(
      `WITH next AS MATERIALIZED (SELECT * FROM (${next}) AS next
        WHERE ${overlapping.join(' AND ')} ORDER BY ${byId} LIMIT ${max})
      SELECT ${COLUMNS} FROM next WHERE (SELECT count(*) FROM next) >= ${max}
      UNION ALL SELECT ${COLUMNS} FROM (${rows}) AS rest WHERE (SELECT count(*) FROM next) < ${max}`,
      byId,
    );

  const byCreation = (): string => {
    if (!isWindowed && resource === undefined) return first(afterId(), byId);
    if (!isWindowed) return first([...sameResource, ...afterId()], byResourceAndId, unseen(max));
    const overlapping = (): string[] => [
      ...(from === undefined ? [] : [`slot_end > ${unseen(bind(from, 'bigint'))}`]),
      ...(to === undefined ? [] : [`slot_start < ${unseen(bind(to, 'bigint'))}`]),
    ];
    if (resource === undefined) {
      const within = ['slot_start IS NOT NULL', inWindow(), ...afterCreated()];
      const rows = firstOf(nearest(within, CREATED_MS), byId);
      if (after === undefined) return rows;
      return nextOr(rows, first(afterId(), byId, unseen(`${NEXT.ofAll} * ${max}`)), overlapping());
    }
    // Two resources may have one hash.
    const named = [
      'resource_id IS NOT NULL',
      `hashtextextended(resource_id, 1) = hashtextextended(${resource}, 1)`,
      filtered(`resource_id = ${resource}`),
    ];
    const rows = firstOf(nearest([...named, ...overlapping(), ...afterCreated()], CREATED_MS), byId);
    if (after === undefined) return rows;
    const next = first([...sameResource, ...afterId()], byResourceAndId, unseen(`${NEXT.ofResource} * ${max}`));
    return nextOr(rows, next, overlapping());
  };

  const byStartOfAll = (): string => {
    const within = ['slot_start IS NOT NULL', inWindow()];
    if (after === undefined) return firstOf(nearest(within, 'slot_start', CREATED_MS), byStart);
    const at = unseen(bind(after.at, 'bigint'));
    // What starts together with the last one is many bookings where working hours are the same for all.
    const together = nearest([...within, `slot_start = ${at}`, ...afterCreated()], CREATED_MS);
    const later = nearest([...within, `slot_start ${beyond} ${at}`], 'slot_start', CREATED_MS);
    return firstOf(`${together} UNION ALL ${later}`, byStart);
  };

  const byStartOf = (name: string): string => {
    const position = after && `(${unseen(bind(after.at, 'bigint'))}, ${unseen(bind(after.bookingId, 'uuid'))})`;
    const rest = position === undefined ? [] : [`(slot_start, booking_id) ${beyond} ${position}`];
    return first(
      [...ofResource, 'slot_start IS NOT NULL', ...inWindowOf(name), ...rest],
      byStart,
      isWindowed ? unseen(max) : max,
    );
  };

  const texts: Record<ListPart, () => string> = {
    'by-creation': byCreation,
    'by-start': () => (resource === undefined ? byStartOfAll() : byStartOf(resource)),
    'without-slot': () => first(['slot_start IS NULL', ...(after?.at === null ? afterId() : [])], byId),
  };
  return { rows: texts[part](), order: part === 'by-start' ? byStart : byId, values, bind };
}
