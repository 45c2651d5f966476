import type { PageQuery } from '../bookings.repository.js';
import type { ListFilter } from '../cursor.js';

// The SQL of the lists, with `:name` for a parameter. `pnpm --filter api list-plans` prints each with its plan.
//
// Each list reads one index from a position, never by an offset, so that its cost is that of its page, whatever the
// window. As `(SELECT :name)` a parameter is opaque to the planner, which then expects a fixed share of the rows. A
// planner that expects a window, or the rest of a walk, to be nearly empty (from old statistics, or from its defaults)
// reads all of it and sorts. The limit is opaque too where the planner has to choose the index that gives the order. A
// condition as `CASE WHEN … THEN true END IS NOT NULL` uses no index, and the planner expects nearly all rows to meet it.

/** An instant before, or after, all that slots and bookings have: near enough that distances are exact in double precision. */
const FAR = { before: -(2 ** 50), after: 2 ** 50 };

/** What is read of a list, or of a part of it. */
export interface Page extends PageQuery {
  readonly filter: ListFilter;
  /** Bytes of JSON that fit. */
  readonly room: number;
}

const parameter = (type: string, of: (page: Page) => unknown) => ({ type, of });

/** The parameters of the texts, each with its type and its value. */
export const PARAMETERS = {
  resource_id: parameter('text', ({ filter }) => filter.resourceId),
  from: parameter('bigint', ({ filter }) => filter.from ?? FAR.before),
  to: parameter('bigint', ({ filter }) => filter.to ?? FAR.after),
  after_at: parameter('bigint', ({ after }) => after?.at),
  after_id: parameter('uuid', ({ after }) => after?.bookingId),
  limit: parameter('bigint', ({ limit }) => limit),
  room: parameter('bigint', ({ room }) => room),
  share: parameter('bigint', ({ room, limit }) => Math.floor(room / limit)),
};
export type Parameter = keyof typeof PARAMETERS;

export type Direction = 'ASC' | 'DESC';

/** The rows of a list from its beginning, and those after a position. */
export interface ListTexts {
  /** Columns that the rows are sorted by. */
  readonly order: string;
  readonly first: string;
  readonly later: string;
}

export type ListName =
  | 'by creation'
  | 'by creation in a window'
  | 'of a resource by creation'
  | 'of a resource by creation in a window'
  | 'by start'
  | 'of a resource by start'
  | 'of a resource by start in a window'
  | 'without a slot';

/** Milliseconds since 1970 at which an id was created: its first 48 bits, as the indexes have them. */
const createdMs = (id: string): string => `('x' || left(translate(${id}::text, '-', ''), 12))::bit(48)::bigint`;
const CREATED_MS = `(${createdMs('booking_id')})`;

/** As the index `bookings_in_order` has the slot. */
const IN_WINDOW = `slot_start IS NOT NULL AND int8range(slot_start, slot_end, '[)') && (SELECT int8range(:from, :to, '[)'))`;
const OVERLAPPING = 'slot_end > (SELECT :from) AND slot_start < (SELECT :to)';

/** As the index `bookings_of_resource_in_order` has the resource. Two resources may have the same hash. */
const OF_RESOURCE = `resource_id IS NOT NULL AND hashtextextended(resource_id, 1) = hashtextextended(:resource_id, 1)
    AND CASE WHEN resource_id = :resource_id THEN true END IS NOT NULL`;

/**
 * Slots of one resource do not overlap: of those that start before the window, only the last can reach into it. With
 * `max(slot_start)`, a planner that expects few bookings reads all of them.
 */
const FIRST_START = `coalesce(
      (SELECT slot_start FROM bookings WHERE resource_id = :resource_id AND slot_start < (SELECT :from)
        ORDER BY slot_start DESC LIMIT 1),
      (SELECT :from))`;

export function listTexts(direction: Direction): Record<ListName, ListTexts> {
  const after = direction === 'ASC' ? '>' : '<';
  const byId = `booking_id ${direction}`;
  const byStart = `slot_start ${direction}, booking_id ${direction}`;
  // A GiST index gives an order as the nearest to an instant beyond all others (PostgreSQL, "btree_gist"). Bookings of one
  // millisecond are in no order there.
  const far = `(${direction === 'ASC' ? FAR.before : FAR.after})::bigint`;
  const nearestFirst = `ORDER BY ${CREATED_MS} <-> ${far} FETCH FIRST (SELECT :limit) ROWS WITH TIES`;
  const nearestStartFirst = `ORDER BY slot_start <-> ${far}, ${CREATED_MS} <-> ${far} FETCH FIRST (SELECT :limit) ROWS WITH TIES`;
  const afterCreated = `${CREATED_MS} ${after}= (SELECT ${createdMs(':after_id')})
    AND CASE WHEN booking_id ${after} :after_id THEN true END IS NOT NULL`;

  // In the middle of a walk through a window, the index reads every part of it: it stores slots together that are near in
  // time, whenever they were booked. So the next bookings of the list without the window come first, and fill the page if
  // enough of them are in the window.
  const nextOrElse = (next: string, rest: string): string => `
    WITH next AS MATERIALIZED (
      SELECT * FROM (${next}) AS next WHERE ${OVERLAPPING} ORDER BY ${byId} LIMIT :limit
    )
    SELECT * FROM (
      SELECT * FROM next WHERE (SELECT count(*) FROM next) >= :limit
      UNION ALL SELECT * FROM (${rest}) AS rest WHERE (SELECT count(*) FROM next) < :limit
    ) AS page ORDER BY ${byId} LIMIT :limit`;

  return {
    'by creation': {
      order: byId,
      first: `SELECT * FROM bookings ORDER BY ${byId} LIMIT :limit`,
      later: `SELECT * FROM bookings WHERE booking_id ${after} (SELECT :after_id) ORDER BY ${byId} LIMIT :limit`,
    },
    'by creation in a window': {
      order: byId,
      first: `SELECT * FROM (
          SELECT * FROM bookings WHERE ${IN_WINDOW} ${nearestFirst}
        ) AS nearest ORDER BY ${byId} LIMIT :limit`,
      later: nextOrElse(
        // They fill the page where one in 50 is in the window.
        `SELECT * FROM bookings WHERE booking_id ${after} (SELECT :after_id) ORDER BY ${byId} LIMIT (SELECT 50 * :limit)`,
        `SELECT * FROM bookings WHERE ${IN_WINDOW} AND ${afterCreated} ${nearestFirst}`,
      ),
    },
    'of a resource by creation': {
      order: byId,
      // With a range, only the index of resources gives the order, and the primary key does not.
      first: `SELECT * FROM bookings WHERE resource_id BETWEEN (SELECT :resource_id) AND (SELECT :resource_id)
        ORDER BY resource_id ${direction}, ${byId} LIMIT (SELECT :limit)`,
      later: `SELECT * FROM bookings WHERE resource_id BETWEEN (SELECT :resource_id) AND (SELECT :resource_id)
          AND booking_id ${after} (SELECT :after_id)
        ORDER BY resource_id ${direction}, ${byId} LIMIT (SELECT :limit)`,
    },
    'of a resource by creation in a window': {
      order: byId,
      first: `SELECT * FROM (
          SELECT * FROM bookings WHERE ${OF_RESOURCE} AND ${OVERLAPPING} ${nearestFirst}
        ) AS nearest ORDER BY ${byId} LIMIT :limit`,
      later: nextOrElse(
        // They fill the page where one in three is in the window: here each costs a page of the table.
        `SELECT * FROM bookings WHERE resource_id BETWEEN (SELECT :resource_id) AND (SELECT :resource_id)
          AND booking_id ${after} (SELECT :after_id)
        ORDER BY resource_id ${direction}, ${byId} LIMIT (SELECT 3 * :limit)`,
        `SELECT * FROM bookings WHERE ${OF_RESOURCE} AND ${OVERLAPPING} AND ${afterCreated} ${nearestFirst}`,
      ),
    },
    'by start': {
      order: byStart,
      first: `SELECT * FROM (
          SELECT * FROM bookings WHERE ${IN_WINDOW} ${nearestStartFirst}
        ) AS nearest ORDER BY ${byStart} LIMIT :limit`,
      // Many bookings start together with the last one where all resources have the same working hours.
      later: `SELECT * FROM (
          (SELECT * FROM bookings WHERE ${IN_WINDOW} AND slot_start = (SELECT :after_at) AND ${afterCreated} ${nearestFirst})
          UNION ALL
          (SELECT * FROM bookings WHERE ${IN_WINDOW} AND slot_start ${after} (SELECT :after_at) ${nearestStartFirst})
        ) AS nearest ORDER BY ${byStart} LIMIT :limit`,
    },
    'of a resource by start': {
      order: byStart,
      first: `SELECT * FROM bookings WHERE resource_id = :resource_id AND slot_start IS NOT NULL
        ORDER BY ${byStart} LIMIT (SELECT :limit)`,
      later: `SELECT * FROM bookings WHERE resource_id = :resource_id AND slot_start IS NOT NULL
          AND (slot_start, booking_id) ${after} ((SELECT :after_at), (SELECT :after_id))
        ORDER BY ${byStart} LIMIT (SELECT :limit)`,
    },
    'of a resource by start in a window': {
      order: byStart,
      first: `SELECT * FROM bookings WHERE resource_id = :resource_id AND slot_start IS NOT NULL
          AND slot_start >= ${FIRST_START} AND CASE WHEN slot_end > :from THEN true END IS NOT NULL AND slot_start < (SELECT :to)
        ORDER BY ${byStart} LIMIT (SELECT :limit)`,
      // One bound on each side: with two, the index may be read from the further one. Rows are compared, not instants: of
      // instants the planner expects one in 200 to be between two bounds, and then reads and sorts all of them.
      later:
        direction === 'ASC'
          ? `SELECT * FROM bookings WHERE resource_id = :resource_id AND slot_start IS NOT NULL
          AND (slot_start, booking_id) > ((SELECT greatest(:after_at, ${FIRST_START})), (SELECT :after_id))
          AND CASE WHEN slot_end > :from THEN true END IS NOT NULL AND slot_start < (SELECT :to)
        ORDER BY ${byStart} LIMIT (SELECT :limit)`
          : `SELECT * FROM bookings WHERE resource_id = :resource_id AND slot_start IS NOT NULL
          AND slot_start >= ${FIRST_START} AND CASE WHEN slot_end > :from THEN true END IS NOT NULL
          AND (slot_start, booking_id) < ((SELECT least(:after_at, :to - 1)), (SELECT :after_id))
        ORDER BY ${byStart} LIMIT (SELECT :limit)`,
    },
    'without a slot': {
      order: byId,
      first: `SELECT * FROM bookings WHERE slot_start IS NULL ORDER BY ${byId} LIMIT :limit`,
      later: `SELECT * FROM bookings WHERE slot_start IS NULL AND booking_id ${after} (SELECT :after_id)
        ORDER BY ${byId} LIMIT :limit`,
    },
  };
}
