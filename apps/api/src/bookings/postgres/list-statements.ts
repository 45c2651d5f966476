import { prepared, type Statement } from '../../platform/database/statement.js';
import { MAX_PAGE_BYTES, type PageQuery } from '../domain/bookings.repository.js';
import { ALL_TIME, type ListFilter } from '../domain/cursor.js';

// Each list reads one index in its order, from a position to the end of the page. `pnpm --filter api list-plans` prints
// each with its plan.
//
// A planner that expects few rows, from old statistics or from none, reads all of them and sorts. `asked` hides the values
// from it, because it is MATERIALIZED: then it expects many rows, a tenth of them wanted, and takes the index.

/** A character that no JSON text has (RFC 7464). */
export const SEPARATOR = '\u001e';

/**
 * The page of a list that selects `booking_id` and `json`, at most $1 bookings: null, or the JSON of each with
 * {@link SEPARATOR} between them. Instead of a JSON that is larger than its share of a page it has the id; the length is
 * known without reading the text. A row for each booking would cost the database and `pg` more. The list is in order
 * before it is aggregated, and joined to nothing but the one row of `asked` (PostgreSQL, "Aggregate Functions").
 */
function page(list: string): Statement {
  return prepared(`SELECT string_agg(
    CASE WHEN octet_length(json) <= ${MAX_PAGE_BYTES} / $1::bigint THEN json ELSE booking_id::text END, E'\\x1e') AS page
  FROM (${list}) AS list`);
}

// All bookings by creation. $1 limit, $2 the id to go on from. Only the primary key fits: there is nothing to hide.
const NEWEST = page(`
  SELECT booking_id, json FROM bookings WHERE booking_id < $2::uuid ORDER BY booking_id DESC LIMIT $1::bigint`);
const OLDEST = page(`
  SELECT booking_id, json FROM bookings WHERE booking_id > $2::uuid ORDER BY booking_id LIMIT $1::bigint`);

// The bookings of one resource, $3, by creation. A range of resources from this one to itself: where it is compared with
// `=`, the planner may look for it among all bookings, by the primary key.
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

/** The values of `slot_reach` in `migrations/0001_bookings.sql`, in milliseconds. */
const REACHES = [...[1 / 6, 1, 4, 24, 168, 744, 8_784, 87_672].map((hours) => hours * 3_600_000), ALL_TIME.to];

// The slots that overlap a window, from $3 to $4, by start. $1 limit, $2 and $5 the id and the start to go on from.
// For each length that slots are rounded up to, the index is read from that length before the window, or from the position
// (`greatest`: of two lower bounds it may take the further one), and all are merged as they are read, up to the limit.
const IN_WINDOW = page(`
  WITH asked AS MATERIALIZED (
    SELECT $1::bigint AS most, $2::uuid AS after_id, $3::bigint AS window_start, $4::bigint AS window_end, $5::bigint AS after_start
  )
  SELECT booking_id, json FROM asked CROSS JOIN LATERAL (${REACHES.map(
    (reach) => `
    (SELECT slot_start, booking_id, json FROM bookings
    WHERE slot_reach = ${reach} AND (slot_start, booking_id) > (greatest(after_start, window_start - ${reach}), after_id)
      AND slot_start < window_end AND slot_end > window_start
    ORDER BY slot_start, booking_id LIMIT most)`,
  ).join(' UNION ALL')}
    ORDER BY slot_start, booking_id LIMIT most
  ) AS in_window`);

// The same of one resource, $6. Its slots do not overlap, so their ends have the order of their starts: the first to end
// after the start of the window is the first in it, and any beyond the window come last. The first to end after a position
// is that booking itself.
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

/** No booking has an id as low, or as high. */
const [LOWEST_ID, HIGHEST_ID] = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];

/** The statement for all resources, the one for a single resource, and the id before the first page. */
const BY_CREATION = {
  '-created_at': [NEWEST, NEWEST_OF_RESOURCE, HIGHEST_ID],
  created_at: [OLDEST, OLDEST_OF_RESOURCE, LOWEST_ID],
} as const;
// A slot that starts exactly one reach before the window has ended when it begins: the highest id skips such slots.
const BY_START = [IN_WINDOW, IN_WINDOW_OF_RESOURCE, HIGHEST_ID] as const;

/** The statement for a page of a list, with its values. */
export function pageStatement(filter: ListFilter, { limit, after }: PageQuery): [Statement, (string | number)[]] {
  const { resourceId, window, sort = '-created_at' } = filter;
  const [ofAll, ofOne, firstId] = window === undefined ? BY_CREATION[sort] : BY_START;
  const { start = ALL_TIME.from, bookingId = firstId } = after ?? {};
  const values = window === undefined ? [limit, bookingId] : [limit, bookingId, window.from, window.to, start];
  return resourceId === undefined ? [ofAll, values] : [ofOne, [...values, resourceId]];
}
