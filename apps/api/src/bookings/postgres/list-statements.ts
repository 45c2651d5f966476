import { prepared, type Statement } from '../../platform/database/statement.js';
import { MAX_PAGE_BYTES, type PageQuery } from '../domain/bookings.repository.js';
import { ALL_TIME, type ListFilter } from '../domain/cursor.js';

// Each list reads one index from a position, never by an offset, so that its cost is that of its page.
// `pnpm --filter api list-plans` prints each with its plan.
//
// A planner that expects few rows, from old statistics or from none, reads all of them and sorts. So the values are hidden
// from it in `asked`, which is MATERIALIZED: it then expects a tenth of the rows to be wanted, and takes the index that has
// their order.

/** A character that no JSON text has (RFC 7464). */
export const SEPARATOR = '\u001e';

/**
 * A page of a list, $1 bookings: the JSON of each with {@link SEPARATOR} between them, or its id if it is larger than its
 * share of a page; null if there is none. Separate rows would cost the database and `pg` more. The length of a text is
 * known without reading it, also if it is stored out of line. The rows are sorted, and joined to nothing but the one row
 * of `asked`, so they keep their order (PostgreSQL, "Aggregate Functions").
 */
function page(list: string): Statement {
  return prepared(`SELECT string_agg(
    CASE WHEN octet_length(json) <= ${MAX_PAGE_BYTES} / $1::bigint THEN json ELSE booking_id::text END, E'\\x1e') AS page
  FROM (${list}) AS list`);
}

// All bookings. $1 limit, $2 the id to go on from.
const NEWEST = page(`
  SELECT booking_id, json FROM bookings WHERE booking_id < $2::uuid ORDER BY booking_id DESC LIMIT $1::bigint`);
const OLDEST = page(`
  SELECT booking_id, json FROM bookings WHERE booking_id > $2::uuid ORDER BY booking_id LIMIT $1::bigint`);

// Those of a resource, $3. As a range of resources, whose order the primary key does not give.
const NEWEST_OF_RESOURCE = page(`
  WITH asked AS MATERIALIZED (SELECT $1::bigint AS most, $2::uuid AS after_id, $3::text AS resource)
  SELECT booking_id, json FROM asked CROSS JOIN LATERAL (
    SELECT booking_id, json FROM bookings
    WHERE resource_id BETWEEN resource AND resource AND booking_id < after_id
    ORDER BY resource_id DESC, booking_id DESC LIMIT most
  ) AS of_resource`);
const OLDEST_OF_RESOURCE = page(`
  WITH asked AS MATERIALIZED (SELECT $1::bigint AS most, $2::uuid AS after_id, $3::text AS resource)
  SELECT booking_id, json FROM asked CROSS JOIN LATERAL (
    SELECT booking_id, json FROM bookings
    WHERE resource_id BETWEEN resource AND resource AND booking_id > after_id
    ORDER BY resource_id, booking_id LIMIT most
  ) AS of_resource`);

const HOUR = 3_600_000;
/** The classes of length that the table has in `slot_reach`, in milliseconds. */
export const REACHES = [
  HOUR / 6,
  HOUR,
  4 * HOUR,
  24 * HOUR,
  168 * HOUR,
  744 * HOUR,
  8_784 * HOUR,
  87_672 * HOUR,
  ALL_TIME.to,
];

// Those in a window, $3 to $4, by start. $1 limit, $2 and $5 the id and the start to go on from.
const IN_WINDOW = page(`
  WITH asked AS MATERIALIZED (
    SELECT $1::bigint AS most, $2::uuid AS after_id, $3::bigint AS window_start, $4::bigint AS window_end, $5::bigint AS after_start
  )
  SELECT booking_id, json FROM asked CROSS JOIN LATERAL (
    ${REACHES.map(
      (reach) => `(SELECT slot_start, booking_id, json FROM bookings
    WHERE slot_reach = ${reach} AND (slot_start, booking_id) > (greatest(after_start, window_start - ${reach}), after_id)
      AND slot_start < window_end AND slot_end > window_start
    ORDER BY slot_start, booking_id LIMIT most)`,
    ).join('\n    UNION ALL ')}
    ORDER BY slot_start, booking_id LIMIT most
  ) AS in_window`);

// The same of a resource, $6. Its slots do not overlap, so the order of their ends is that of their starts, and those after
// the window come last.
const IN_WINDOW_OF_RESOURCE = page(`
  WITH asked AS MATERIALIZED (
    SELECT $1::bigint AS most, $2::uuid AS after_id, $3::bigint AS window_start, $4::bigint AS window_end, $5::bigint AS after_start,
      $6::text AS resource
  )
  SELECT booking_id, json FROM asked CROSS JOIN LATERAL (
    SELECT booking_id, slot_start, json FROM bookings
    WHERE resource_id = resource AND slot_end > greatest(after_start, window_start)
    ORDER BY slot_end LIMIT most + 1
  ) AS of_resource WHERE slot_start < window_end AND (slot_start, booking_id) > (after_start, after_id)`);

const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The statement for a page of a list, with its values. */
export function pageStatement(
  { resourceId, window, sort }: ListFilter,
  { limit, after }: PageQuery,
): [statement: Statement, values: unknown[]] {
  if (window !== undefined) {
    const { start = ALL_TIME.from, bookingId = LAST_ID } = after ?? {};
    const values = [limit, bookingId, window.from, window.to, start];
    return resourceId === undefined ? [IN_WINDOW, values] : [IN_WINDOW_OF_RESOURCE, [...values, resourceId]];
  }
  const [all, ofResource, end] =
    sort === 'created_at' ? [OLDEST, OLDEST_OF_RESOURCE, FIRST_ID] : [NEWEST, NEWEST_OF_RESOURCE, LAST_ID];
  const values = [limit, after?.bookingId ?? end];
  return resourceId === undefined ? [all, values] : [ofResource, [...values, resourceId]];
}
