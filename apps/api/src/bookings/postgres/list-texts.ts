import { listStatements, type ListStatements } from './page-statements.js';

// Each list reads one index from a position, never by an offset, so that its cost is that of its page, whatever the
// window. As `(SELECT {name})` a parameter is opaque to the planner, which then expects a fixed share of the rows. A
// planner that expects a window, or the rest of a walk, to be nearly empty (from old statistics, or from its defaults)
// reads all of it and sorts. The limit is opaque too, so the planner chooses the index that gives the order.

const COLUMNS = 'booking_id, resource_id, slot_start, slot_end, json';
const BY_ID = 'booking_id {direction}';
const BY_START = 'slot_start {direction}, booking_id {direction}';

const page = (conditions: readonly string[], order: string, limit: string): string =>
  `SELECT ${COLUMNS} FROM bookings
    ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`}
    ORDER BY ${order} LIMIT ${limit}`;

/** A condition that uses no index, and that the planner expects nearly all rows to meet. */
const unindexed = (condition: string): string => `CASE WHEN ${condition} THEN true END IS NOT NULL`;

/** Milliseconds since 1970 at which an id was created: its first 48 bits, as the indexes have them. */
const createdMs = (id: string): string => `('x' || left(translate(${id}::text, '-', ''), 12))::bit(48)::bigint`;
const CREATED_MS = `(${createdMs('booking_id')})`;

/** The order of ids is that of creation. */
const AFTER_ID = 'booking_id {beyond} (SELECT {after_id})';
const AFTER_CREATED = [
  `${CREATED_MS} {beyond}= (SELECT ${createdMs('{after_id}')})`,
  unindexed('booking_id {beyond} {after_id}'),
];

/** The slot as a range, as the index `bookings_in_order` has it. A bound that is null is open. */
const IN_WINDOW = [
  'slot_start IS NOT NULL',
  `int8range(slot_start, slot_end, '[)') && (SELECT int8range({from}, {to}, '[)'))`,
];

const ENDS_LATER = 'slot_end > (SELECT {from})';
const STARTS_EARLIER = 'slot_start < (SELECT {to})';
const OVERLAPPING = { from: [ENDS_LATER], to: [STARTS_EARLIER], both: [ENDS_LATER, STARTS_EARLIER] };
type Bounds = keyof typeof OVERLAPPING;

/**
 * The nearest to an instant beyond all others, which is how a GiST index gives an order (PostgreSQL, "btree_gist"). The
 * instant is near enough that distances are exact in double precision. Bookings of one millisecond are in no order.
 */
const nearest = (conditions: readonly string[], ...instants: string[]): string =>
  `(SELECT ${COLUMNS} FROM bookings WHERE ${conditions.join(' AND ')}
    ORDER BY ${instants.map((instant) => `${instant} <-> {far}`).join(', ')} FETCH FIRST (SELECT {limit}) ROWS WITH TIES)`;
const sorted = (rows: string, order: string): string =>
  `SELECT ${COLUMNS} FROM (${rows}) AS nearest ORDER BY ${order} LIMIT {limit}`;

/**
 * The page from the next bookings of the list without the window, if enough of them are in the window; else `rest`. The
 * index of windows stores slots that are near in time together, whenever they were booked: in the middle of a walk it
 * reads every part of the window.
 */
const lookaheadOr = (next: string, bounds: Bounds, rest: string): string =>
  sorted(
    `WITH next AS MATERIALIZED (SELECT * FROM (${next}) AS next
      WHERE ${OVERLAPPING[bounds].join(' AND ')} ORDER BY ${BY_ID} LIMIT {limit})
    SELECT ${COLUMNS} FROM next WHERE (SELECT count(*) FROM next) >= {limit}
    UNION ALL SELECT ${COLUMNS} FROM (${rest}) AS rest WHERE (SELECT count(*) FROM next) < {limit}`,
    BY_ID,
  );

const inWindowByCreation = (bounds: Bounds): ListStatements =>
  listStatements(
    BY_ID,
    sorted(nearest(IN_WINDOW, CREATED_MS), BY_ID),
    lookaheadOr(
      // They fill the page where one in 50 is in the window.
      page([AFTER_ID], BY_ID, '(SELECT 50 * {limit})'),
      bounds,
      sorted(nearest([...IN_WINDOW, ...AFTER_CREATED], CREATED_MS), BY_ID),
    ),
  );

const ofResourceByCreation = (conditions: string[], limit: string): string => {
  // With a range, only the index of resources gives the order, and the primary key does not.
  const sameResource = 'resource_id BETWEEN (SELECT {resource_id}) AND (SELECT {resource_id})';
  return page([sameResource, ...conditions], `resource_id {direction}, ${BY_ID}`, `(SELECT ${limit})`);
};

const ofResourceInWindowByCreation = (bounds: Bounds): ListStatements => {
  const within = [
    'resource_id IS NOT NULL',
    'hashtextextended(resource_id, 1) = hashtextextended({resource_id}, 1)',
    // Two resources may have the same hash.
    unindexed('resource_id = {resource_id}'),
    ...OVERLAPPING[bounds],
  ];
  return listStatements(
    BY_ID,
    sorted(nearest(within, CREATED_MS), BY_ID),
    lookaheadOr(
      // They fill the page where one in three is in the window: here each costs a page of the table.
      ofResourceByCreation([AFTER_ID], '3 * {limit}'),
      bounds,
      sorted(nearest([...within, ...AFTER_CREATED], CREATED_MS), BY_ID),
    ),
  );
};

const BY_START_OF_ALL = listStatements(
  BY_START,
  sorted(nearest(IN_WINDOW, 'slot_start', CREATED_MS), BY_START),
  // Many bookings start together with the last one where all resources have the same working hours.
  sorted(
    `${nearest([...IN_WINDOW, 'slot_start = (SELECT {after_at})', ...AFTER_CREATED], CREATED_MS)}
    UNION ALL ${nearest([...IN_WINDOW, 'slot_start {beyond} (SELECT {after_at})'], 'slot_start', CREATED_MS)}`,
    BY_START,
  ),
);

const ofResourceByStart = (conditions: string[], limit = '(SELECT {limit})'): string =>
  page(['resource_id = {resource_id}', 'slot_start IS NOT NULL', ...conditions], BY_START, limit);
const afterStart = (at: string): string => `(slot_start, booking_id) {beyond} ((SELECT ${at}), (SELECT {after_id}))`;

/** Slots of one resource do not overlap: of those that start before the window, only the last can reach into it. */
const FIRST_START = `coalesce(
      (SELECT max(slot_start) FROM bookings WHERE resource_id = {resource_id} AND slot_start < (SELECT {from})),
      (SELECT {from}))`;
const STARTS_LATER = [`slot_start >= ${FIRST_START}`, unindexed('slot_end > {from}')];
// One bound on each side: with two, the index may be read from the further one. Rows are compared, not instants: of
// instants the planner expects one in 200 to be between two bounds, and then reads and sorts all of them.
const AFTER_BOTH = [afterStart(`greatest({after_at}, ${FIRST_START})`), unindexed('slot_end > {from}')];
const BEFORE_BOTH = afterStart('least({after_at}, {to} - 1)');

export const WITHOUT_SLOT = listStatements(
  BY_ID,
  page(['slot_start IS NULL'], BY_ID, '{limit}'),
  page(['slot_start IS NULL', AFTER_ID], BY_ID, '{limit}'),
);

/** By the order, by whether they are of one resource, and by the bounds of the window. */
export const LISTS = {
  'by-creation': {
    ofAll: {
      none: listStatements(BY_ID, page([], BY_ID, '{limit}'), page([AFTER_ID], BY_ID, '{limit}')),
      from: inWindowByCreation('from'),
      to: inWindowByCreation('to'),
      both: inWindowByCreation('both'),
    },
    ofResource: {
      none: listStatements(BY_ID, ofResourceByCreation([], '{limit}'), ofResourceByCreation([AFTER_ID], '{limit}')),
      from: ofResourceInWindowByCreation('from'),
      to: ofResourceInWindowByCreation('to'),
      both: ofResourceInWindowByCreation('both'),
    },
  },
  'by-start': {
    ofAll: { none: BY_START_OF_ALL, from: BY_START_OF_ALL, to: BY_START_OF_ALL, both: BY_START_OF_ALL },
    ofResource: {
      none: listStatements(
        BY_START,
        ofResourceByStart([], '{limit}'),
        ofResourceByStart([afterStart('{after_at}')], '{limit}'),
      ),
      from: listStatements(BY_START, ofResourceByStart(STARTS_LATER), {
        ASC: ofResourceByStart(AFTER_BOTH),
        DESC: ofResourceByStart([...STARTS_LATER, afterStart('{after_at}')]),
      }),
      to: listStatements(BY_START, ofResourceByStart([STARTS_EARLIER]), {
        ASC: ofResourceByStart([STARTS_EARLIER, afterStart('{after_at}')]),
        DESC: ofResourceByStart([BEFORE_BOTH]),
      }),
      both: listStatements(BY_START, ofResourceByStart([...STARTS_LATER, STARTS_EARLIER]), {
        ASC: ofResourceByStart([...AFTER_BOTH, STARTS_EARLIER]),
        DESC: ofResourceByStart([...STARTS_LATER, BEFORE_BOTH]),
      }),
    },
  },
};
