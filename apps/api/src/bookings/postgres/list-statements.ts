import type { Statement } from '../../postgres/database.js';
import type { BookingsQuery } from '../bookings.repository.js';

/**
 * One part of a list, asked for when the parts before it have not filled the page. Each is read
 * through one index of `migrations/`, from the position after which it goes on,
 * never by an offset (PostgreSQL, "LIMIT and OFFSET").
 */
export type ListPart = 'by-creation' | 'lately-created' | 'window' | 'starting' | 'reaching-in' | 'without-slot';

export const COLUMNS = 'booking_id, resource_id, slot_start, slot_end, json';

/** Bookings in the order of creation that are looked through for those in a broad window. */
const LATELY_CREATED = 500;

/** Milliseconds of a window that is read as a whole at once: 31 days. */
const NARROW_WINDOW = 31 * 86_400_000;

const RANGE = `int8range(slot_start, slot_end, '[)')`;

/** The parts of a list, in its order. `window` finds all of its bookings, also those that `lately-created` has found. */
export function listParts({ sort, resourceId, from, to, after }: BookingsQuery): ListPart[] {
  const isWindowed = from !== undefined || to !== undefined;
  if (sort === 'created_at' || sort === '-created_at') {
    if (!isWindowed) return ['by-creation'];
    const isNarrow = from !== undefined && to !== undefined && to - from <= NARROW_WINDOW;
    return isNarrow ? ['window'] : ['lately-created', 'window'];
  }
  const withoutSlot: ListPart[] = isWindowed || resourceId !== undefined ? [] : ['without-slot'];
  if (after?.at === null) return withoutSlot;
  const reachingIn: ListPart[] = from === undefined ? [] : ['reaching-in'];
  return [
    ...(sort === 'start' ? [...reachingIn, 'starting' as const] : ['starting' as const, ...reachingIn]),
    ...withoutSlot,
  ];
}

/** The booking on one resource that starts last before an instant; both are parameters of the statement. */
export function lastStartingBefore(resourceId: string, instant: string): string {
  return `SELECT ${COLUMNS} FROM bookings WHERE resource_id = ${resourceId} AND slot_start < ${instant}
    ORDER BY slot_start DESC LIMIT 1`;
}

export interface ListStatement extends Statement {
  readonly values: unknown[];
}

/** @param limit what the page has room for */
export function listStatement(part: ListPart, query: BookingsQuery, limit: number): ListStatement {
  const { sort, resourceId, from, to, after } = query;
  const values: unknown[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
  const beyond = direction === 'DESC' ? '<' : '>';

  const byId = `ORDER BY booking_id ${direction}`;
  const byStart = `ORDER BY slot_start ${direction}, booking_id ${direction}`;
  const resource = resourceId === undefined ? undefined : bind(resourceId);
  const ofResource = resource === undefined ? [] : [`resource_id = ${resource}`];
  const afterId = (): string[] => (after === undefined ? [] : [`booking_id ${beyond} ${bind(after.bookingId)}`]);
  const afterStart = (): string[] =>
    after === undefined ? [] : [`(slot_start, booking_id) ${beyond} (${bind(after.at)}, ${bind(after.bookingId)})`];
  // Without a slot the range would be that of all time.
  const inWindow = (): string =>
    `slot_start IS NOT NULL AND ${RANGE} && int8range(${bind(from ?? null)}, ${bind(to ?? null)}, '[)')`;
  const before = (): string[] => (to === undefined ? [] : [`slot_start < ${bind(to)}`]);
  /** As {@link inWindow}, for one resource: its slots do not overlap, so that only the last one that starts before the window can reach into it. */
  const inWindowOf = (name: string): string[] => {
    if (from === undefined) return before();
    const start = bind(from);
    const first = `(SELECT max(slot_start) FROM bookings WHERE resource_id = ${name} AND slot_start < ${start})`;
    return [`slot_start >= coalesce(${first}, ${start})`, `slot_end > ${start}`, ...before()];
  };
  const select = (conditions: string[], order = ''): string =>
    `SELECT ${COLUMNS} FROM bookings ${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''} ${order}`;
  // MATERIALIZED has the planner find the candidates first. It takes a window for more frequent than it
  // is, and would walk the order of the list through all bookings: 55,000 of 100,000 for one page.
  const first = (rows: string, order: string, conditions: string[] = []): string =>
    `WITH candidates AS MATERIALIZED (${rows}) SELECT * FROM candidates
      ${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''} ${order}`;

  const texts: Record<ListPart, () => string> = {
    'by-creation': () => select([...ofResource, ...afterId()], byId),
    'without-slot': () => select(['slot_start IS NULL', ...(after?.at === null ? afterId() : [])], byId),
    'lately-created': () =>
      first(select([...ofResource, ...afterId()], `${byId} LIMIT ${LATELY_CREATED}`), byId, [inWindow()]),
    window: () => {
      const inside = resource === undefined ? [inWindow()] : inWindowOf(resource);
      return first(select([...ofResource, ...inside]), byId, afterId());
    },
    starting: () => {
      const since = from === undefined ? [] : [`slot_start >= ${bind(from)}`];
      return select([...ofResource, 'slot_start IS NOT NULL', ...since, ...before(), ...afterStart()], byStart);
    },
    'reaching-in': () => {
      const instant = bind(from);
      const around =
        resource === undefined
          ? select(['slot_start IS NOT NULL', `${RANGE} @> ${instant}::bigint`])
          : lastStartingBefore(resource, instant);
      return first(around, byStart, [`slot_start < ${instant}`, `slot_end > ${instant}`, ...afterStart()]);
    },
  };
  return { text: `${texts[part]()} LIMIT ${bind(limit)}`, values };
}
