import { named, type NamedStatement, type Statement } from '../../platform/database/statement.js';
import { MAX_PAGE_BYTES, type PageQuery } from '../domain/bookings.repository.js';
import { ALL_TIME, type ListFilter, type Window } from '../domain/cursor.js';

// Each list reads one index in its order, from a position to the end of the page. `pnpm --filter api list-plans` prints
// each with its plan.
//
// A planner that expects few rows, from old statistics or from none, reads all of them and sorts. `asked` is MATERIALIZED to
// hide the values from it: then it expects many rows, of which a tenth is wanted, and takes the index.

/** A list goes on after a position: an id and, in a window, a start. */
type ListValues = Window & { limit: number; afterId: string; afterStart: number; resourceId: string };

/** Between the bookings of a page: no JSON text has this character (RFC 7464). */
export const SEPARATOR = '\u001e';

/**
 * The page of a list, as one text, which costs the database and `pg` less than a row for each booking; null without any. A
 * JSON that is larger than its share of the page is not read: the text has its id. A sorted list that is joined to the one
 * row of `asked` alone is aggregated in its order (PostgreSQL, "Aggregate Functions").
 */
function page(list: string): NamedStatement<ListValues> {
  return named(`SELECT string_agg(
    CASE WHEN octet_length(json) <= ${MAX_PAGE_BYTES} / $limit::bigint THEN json ELSE booking_id::text END, E'\\x1e') AS page
  FROM (${list}) AS list`);
}

// All bookings by creation. Only the primary key fits, so nothing is hidden.
const NEWEST = page(`
  SELECT booking_id, json FROM bookings WHERE booking_id < $afterId::uuid ORDER BY booking_id DESC LIMIT $limit::bigint`);
const OLDEST = page(`
  SELECT booking_id, json FROM bookings WHERE booking_id > $afterId::uuid ORDER BY booking_id LIMIT $limit::bigint`);

// The bookings of one resource by creation. With `=` in place of BETWEEN, the planner may read the primary key instead, and
// look for the resource among all bookings.
const NEWEST_OF_RESOURCE = page(`
  WITH asked AS MATERIALIZED (SELECT $limit::bigint AS max_rows, $afterId::uuid AS after_id, $resourceId::text AS resource)
  SELECT booking_id, json FROM asked CROSS JOIN LATERAL (
    SELECT booking_id, json FROM bookings
    WHERE resource_id BETWEEN resource AND resource AND booking_id < after_id
    ORDER BY resource_id DESC, booking_id DESC LIMIT max_rows
  ) AS of_resource`);
const OLDEST_OF_RESOURCE = page(`
  WITH asked AS MATERIALIZED (SELECT $limit::bigint AS max_rows, $afterId::uuid AS after_id, $resourceId::text AS resource)
  SELECT booking_id, json FROM asked CROSS JOIN LATERAL (
    SELECT booking_id, json FROM bookings
    WHERE resource_id BETWEEN resource AND resource AND booking_id > after_id
    ORDER BY resource_id, booking_id LIMIT max_rows
  ) AS of_resource`);

/** The values of `slot_reach` in `migrations/0001_bookings.sql`, in milliseconds. */
const REACHES = [...[1 / 6, 1, 4, 24, 168, 744, 8_784, 87_672].map((hours) => hours * 3_600_000), ALL_TIME.to];

// The slots that overlap a window, by start. For each reach, the index is read from that long before the window, or from the
// position (`greatest`: of two lower bounds, PostgreSQL may take the one that reads more). All are merged up to the limit.
const IN_WINDOW = page(`
  WITH asked AS MATERIALIZED (
    SELECT $limit::bigint AS max_rows, $afterId::uuid AS after_id, $afterStart::bigint AS after_start,
      $from::bigint AS window_start, $to::bigint AS window_end
  )
  SELECT booking_id, json FROM asked CROSS JOIN LATERAL (${REACHES.map(
    (reach) => `
    (SELECT slot_start, booking_id, json FROM bookings
    WHERE slot_reach = ${reach} AND (slot_start, booking_id) > (greatest(after_start, window_start - ${reach}), after_id)
      AND slot_start < window_end AND slot_end > window_start
    ORDER BY slot_start, booking_id LIMIT max_rows)`,
  ).join(' UNION ALL')}
    ORDER BY slot_start, booking_id LIMIT max_rows
  ) AS in_window`);

// The same of one resource, whose slots do not overlap, so that their ends are in the order of their starts: the first to
// end after the window begins is the first in it. The first to end after a position is its own booking: hence `max_rows + 1`.
const IN_WINDOW_OF_RESOURCE = page(`
  WITH asked AS MATERIALIZED (
    SELECT $limit::bigint AS max_rows, $afterId::uuid AS after_id, $afterStart::bigint AS after_start,
      $from::bigint AS window_start, $to::bigint AS window_end, $resourceId::text AS resource
  )
  SELECT booking_id, json FROM asked CROSS JOIN LATERAL (
    SELECT booking_id, slot_start, json FROM bookings
    WHERE resource_id = resource AND slot_end > greatest(after_start, window_start)
    ORDER BY slot_end LIMIT max_rows + 1
  ) AS of_resource WHERE slot_start < window_end AND (slot_start, booking_id) > (after_start, after_id)`);

/** No booking has an id as low, or as high. */
const [LOWEST_ID, HIGHEST_ID] = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];

/** The statement for all resources, the one for a single resource, and the id before the first page. */
const BY_CREATION = {
  '-created_at': [NEWEST, NEWEST_OF_RESOURCE, HIGHEST_ID],
  created_at: [OLDEST, OLDEST_OF_RESOURCE, LOWEST_ID],
} as const;
// With the highest id, slots that start exactly one reach before the window are skipped: they have ended when it begins.
const BY_START = [IN_WINDOW, IN_WINDOW_OF_RESOURCE, HIGHEST_ID] as const;

/** The statement for a page of a list, with its values. */
export function pageStatement(filter: ListFilter, { limit, after }: PageQuery): [Statement, (string | number)[]] {
  const { resourceId = '', window = ALL_TIME, sort = '-created_at' } = filter;
  const [ofAll, ofOne, firstId] = filter.window === undefined ? BY_CREATION[sort] : BY_START;
  const statement = filter.resourceId === undefined ? ofAll : ofOne;
  const { bookingId: afterId = firstId, start: afterStart = ALL_TIME.from } = after ?? {};
  return statement.with({ limit, resourceId, ...window, afterId, afterStart });
}
