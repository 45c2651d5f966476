import { named, type NamedStatement, type Statement } from '../../platform/database/statement.js';
import { MAX_PAGE_BYTES, type PageQuery } from '../domain/bookings.repository.js';
import { ALL_TIME, type ListFilter, type TimeWindow } from '../domain/cursor.js';

// Each list reads one index in order, from a position to the end of the page.
//
// With stale statistics, the planner may expect few rows, and sort them instead of reading an index in order. A
// MATERIALIZED `asked` hides the values, so that the planner expects many rows and uses the index.

type ListValues = TimeWindow & { limit: number; afterId: string; afterStart: number; resourceId: string };

/** Separates the bookings of a page: no JSON text contains this character (RFC 7464). */
const SEPARATOR = '\u001e';

/** A page, or a single booking of it. */
export interface PageRow {
  readonly page: string | null;
}

/** @returns the JSON of each booking in the row */
export function textsOf({ page }: PageRow): string[] {
  return page?.split(SEPARATOR) ?? [];
}

interface PageStatements {
  /** Returns no row if a booking is larger than its share of the page. */
  readonly ofShares: NamedStatement<ListValues>;
  /**
   * Returns a row for each booking up to the first that no longer fits on the page, however large they are: `pg` copies
   * a row of a mebibyte four times while it arrives.
   */
  readonly ofAnySize: NamedStatement<ListValues>;
}

/**
 * Joins a page into one text, which costs the database and `pg` less than one row per booking; null for an empty page.
 * The aggregate keeps the order of its sorted input (PostgreSQL, "Aggregate Functions"). A running sum of the sizes
 * would cost each list a fifth of the database's CPU time (2026-11-26), so only pages with large bookings have it.
 */
function page(list: string): PageStatements {
  const fits = `octet_length(json) <= ${MAX_PAGE_BYTES} / $limit::bigint`;
  return {
    ofShares: named(`SELECT string_agg(CASE WHEN ${fits} THEN json END, E'\\x1e') AS page
  FROM (${list}) AS list HAVING coalesce(bool_and(${fits}), true)`),
    ofAnySize: named(`SELECT json AS page FROM (
    SELECT json, sum(octet_length(json)) OVER (ROWS UNBOUNDED PRECEDING) - octet_length(json) AS bytes_before
    FROM (${list}) AS list
  ) AS measured WHERE bytes_before <= ${MAX_PAGE_BYTES}`),
  };
}

/** Bookings by creation. */
function byCreation(isAfter: '<' | '>', order: 'DESC' | 'ASC') {
  return {
    // No `asked` is needed: the primary key is the only index that fits.
    ofAll: page(`
  SELECT booking_id, json FROM bookings WHERE booking_id ${isAfter} $afterId::uuid
  ORDER BY booking_id ${order} LIMIT $limit::bigint`),
    // With `=` instead of BETWEEN, the planner may read the bookings of all resources by the primary key.
    ofResource: page(`
  WITH asked AS MATERIALIZED (
    SELECT $limit::bigint AS max_rows, $afterId::uuid AS after_id, $resourceId::text AS resource
  )
  SELECT booking_id, json FROM asked CROSS JOIN LATERAL (
    SELECT booking_id, json FROM bookings
    WHERE resource_id BETWEEN resource AND resource AND booking_id ${isAfter} after_id
    ORDER BY resource_id ${order}, booking_id ${order} LIMIT max_rows
  ) AS of_resource`),
  };
}

/** The values of `slot_reach` in `migrations/0001_bookings.sql`, in milliseconds. */
const REACHES = [
  ...[10, 60, 240, 1_440, 10_080, 44_640, 527_040, 5_260_320].map((minutes) => minutes * 60_000),
  ALL_TIME.to,
];

// Slots that overlap a window, by start: one scan per reach, merged. A scan begins one reach before the window or at
// the position, whichever is later. `greatest` makes this a single bound: given two, PostgreSQL may use the one that
// reads more.
const IN_WINDOW = page(`
  WITH asked AS MATERIALIZED (
    SELECT $limit::bigint AS max_rows, $afterId::uuid AS after_id, $afterStart::bigint AS after_start,
      $from::bigint AS window_start, $to::bigint AS window_end
  )
  SELECT booking_id, json FROM asked CROSS JOIN LATERAL (${REACHES.map(
    (reach) => `
    (SELECT slot_start, booking_id, json FROM bookings
    WHERE slot_reach = ${reach}
      AND (slot_start, booking_id) > (greatest(after_start, window_start - ${reach}), after_id)
      AND slot_start < window_end AND slot_end > window_start
    ORDER BY slot_start, booking_id LIMIT max_rows)`,
  ).join(' UNION ALL')}
    ORDER BY slot_start, booking_id LIMIT max_rows
  ) AS in_window`);

// Slots of one resource that overlap a window. Slots of a resource do not overlap each other, so their ends and starts
// sort alike: if any is in the window, the first to end after its start is. The scan also finds the slot at the
// position itself, hence `max_rows + 1`. With `=` instead of BETWEEN, a planner with the statistics of a tiny table may
// read all slots of the resource from the constraint's index, and sort them.
const IN_WINDOW_OF_RESOURCE = page(`
  WITH asked AS MATERIALIZED (
    SELECT $limit::bigint AS max_rows, $afterId::uuid AS after_id, $afterStart::bigint AS after_start,
      $from::bigint AS window_start, $to::bigint AS window_end, $resourceId::text AS resource
  )
  SELECT booking_id, json FROM asked CROSS JOIN LATERAL (
    SELECT booking_id, slot_start, json FROM bookings
    WHERE resource_id BETWEEN resource AND resource AND slot_end > greatest(after_start, window_start)
    ORDER BY resource_id, slot_end LIMIT max_rows + 1
  ) AS of_resource WHERE slot_start < window_end AND (slot_start, booking_id) > (after_start, after_id)`);

const LOWEST_ID = '00000000-0000-0000-0000-000000000000';
const HIGHEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The statements of each order, for all bookings or those of a resource. The first page begins after `firstId`. */
const BY_CREATION = {
  '-created_at': { ...byCreation('<', 'DESC'), firstId: HIGHEST_ID },
  created_at: { ...byCreation('>', 'ASC'), firstId: LOWEST_ID },
};
// The highest id skips slots that start exactly one reach before the window: they cannot overlap it.
const BY_START = { ofAll: IN_WINDOW, ofResource: IN_WINDOW_OF_RESOURCE, firstId: HIGHEST_ID };

export function pageStatement(
  form: keyof PageStatements,
  filter: ListFilter,
  { limit, after }: PageQuery,
): [Statement, (string | number)[]] {
  const { resourceId = '', window = ALL_TIME, sort = '-created_at' } = filter;
  const { ofAll, ofResource, firstId } = filter.window === undefined ? BY_CREATION[sort] : BY_START;
  const statement = (filter.resourceId === undefined ? ofAll : ofResource)[form];
  const { bookingId: afterId = firstId, start: afterStart = ALL_TIME.from } = after ?? {};
  return statement.with({ limit, resourceId, ...window, afterId, afterStart });
}
