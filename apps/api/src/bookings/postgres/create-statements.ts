import { crc32 } from 'node:zlib';
import { named } from '../../platform/database/statement.js';
import type { Booking, Slot } from '../domain/booking.js';
import type { IdempotentCreate } from '../domain/bookings.repository.js';

/**
 * The booking that has the key or, if `fingerprint` is null, the `start` and `end` of the slot that overlaps: its booking
 * may be large.
 */
export interface Conflict {
  readonly json: string;
  readonly fingerprint: string | null;
}

type CreateValues = Partial<Slot & IdempotentCreate> & { bookingId: string; json: string; lockTimeout: number };

export interface CreateRequest {
  readonly booking: Booking;
  readonly idempotent: IdempotentCreate | undefined;
}

/** Values of several creates, in the order of the creates, except for `locks`: hashes of the keys, ascending. */
type GroupValues = Record<'ids' | 'resources' | 'keys' | 'fingerprints', string[]> &
  Record<'starts' | 'ends' | 'locks', number[]> & { jsons: string; lockTimeout: number };

/** Few columns: `pg` parses their descriptions for each response. */
const NO_CONFLICT = 'NULL AS json, NULL AS fingerprint';

const COLUMNS = 'booking_id, resource_id, slot_start, slot_end, json, idempotency_key, fingerprint';

/**
 * Always true. A replay must not report a booking that a synchronous standby lacks: the commit that made the booking
 * may have stopped waiting for the standby, as happens at a restart. So a replay writes a message to the WAL, and its
 * own commit waits until the standby has everything up to the message. A transaction id alone (`pg_current_xact_id`)
 * would not make the commit wait.
 */
const AWAIT_STANDBY = `CASE current_setting('synchronous_standby_names') WHEN '' THEN true
        ELSE pg_logical_emit_message(true, 'booking-service', ''::text) IS NOT NULL END`;

/**
 * Always true, but makes the statement fail while a constraint is missing, as during a restore: `ON CONFLICT DO
 * NOTHING` would then insert any row. PostgreSQL resolves the names when it parses the statement, and parses it again
 * when the table changes.
 */
const HAS_CONSTRAINTS = `'slots_never_overlap'::regclass <> 'one_booking_for_a_key'::regclass`;

/** Finds the booking with the key, then a slot that overlaps: if any does, the first to end after `start` does. */
const selectConflict = (key: string, resource: string, start: string, end: string): string => `
      SELECT json, fingerprint FROM bookings WHERE idempotency_key = ${key} AND ${AWAIT_STANDBY}
      UNION ALL SELECT '{"start":' || slot_start || ',"end":' || slot_end || '}', NULL FROM (
        SELECT slot_start, slot_end FROM bookings WHERE resource_id = ${resource} AND slot_end > ${start}
        ORDER BY slot_end LIMIT 1
      ) AS first WHERE slot_start < ${end}::bigint`;

/**
 * Makes the commit wait for the disk and any synchronous standby, and send a warning if it gives up waiting, whatever
 * is set for the role or the server.
 */
export const AWAIT_COMMIT = `CASE WHEN current_setting('synchronous_commit') IN ('off', 'local')
        THEN set_config('synchronous_commit', 'on', true) END,
        CASE current_setting('client_min_messages') WHEN 'error'
        THEN set_config('client_min_messages', 'warning', true) END`;

/** Limits waits for locks. */
const SET_UP = `SELECT set_config('lock_timeout', $lockTimeout, true), ${AWAIT_COMMIT}`;

/**
 * Keeps a booking, or finds its conflict. Returns no row if the conflict was committed while the statement waited: only
 * a later statement sees it. `DO UPDATE`, which could return the conflict, does not support exclusion constraints
 * (PostgreSQL, "INSERT").
 */
export const CREATE = named<CreateValues>(
  `WITH set_up AS MATERIALIZED (
      ${SET_UP}
    ), created AS (
      INSERT INTO bookings (${COLUMNS})
      SELECT $bookingId::uuid, $resourceId, $start::bigint, $end::bigint, $json, $key, $fingerprint
      FROM set_up WHERE ${HAS_CONSTRAINTS}
      ON CONFLICT DO NOTHING RETURNING booking_id
    )
    SELECT true AS is_kept, ${NO_CONFLICT} FROM created
    UNION ALL SELECT false, conflict.*
    FROM (${selectConflict('$key', '$resourceId', '$start', '$end')}
    ) AS conflict WHERE NOT EXISTS (SELECT FROM created)`,
);

/**
 * Keeps several bookings, in order, once all of their keys are locked. A booking can also conflict with an earlier one
 * of the group. The bookings' JSON has no line breaks, so all of it is sent as one text, without the quoting of an
 * array. An empty text stands for null: if the role has `array_nulls` off, a null in an array would become the text
 * `NULL`.
 */
export const CREATE_GROUP = named<GroupValues>(
  `WITH set_up AS MATERIALIZED (
      ${SET_UP}
    ), locked AS MATERIALIZED (
      SELECT pg_advisory_xact_lock('bookings'::regclass::oid::int, lock)
      FROM set_up CROSS JOIN unnest($locks::int[]) AS lock
    ), given AS MATERIALIZED (
      SELECT booking_id, nullif(resource_id, '') AS resource_id,
        CASE WHEN resource_id <> '' THEN slot_start END AS slot_start,
        CASE WHEN resource_id <> '' THEN slot_end END AS slot_end, json,
        nullif(idempotency_key, '') AS idempotency_key, nullif(fingerprint, '') AS fingerprint, place
      FROM unnest($ids::uuid[], $resources::text[], $starts::bigint[], $ends::bigint[], string_to_array($jsons, E'\\n'),
        $keys::text[], $fingerprints::text[]) WITH ORDINALITY AS sent (${COLUMNS}, place)
    ), created AS (
      INSERT INTO bookings (${COLUMNS})
      SELECT ${COLUMNS} FROM set_up CROSS JOIN (SELECT count(*) FROM locked) AS all_locked CROSS JOIN given
      WHERE ${HAS_CONSTRAINTS} ORDER BY place
      ON CONFLICT DO NOTHING RETURNING booking_id
    )
    SELECT booking_id, true AS is_kept, ${NO_CONFLICT} FROM created
    UNION ALL SELECT booking_id, false, conflict.* FROM given CROSS JOIN LATERAL (
      ${selectConflict('given.idempotency_key', 'given.resource_id', 'given.slot_start', 'given.slot_end')} LIMIT 1
    ) AS conflict WHERE booking_id NOT IN (SELECT booking_id FROM created)`,
);

export function valuesOf(group: readonly CreateRequest[], lockTimeout: number): GroupValues {
  const keys = group.flatMap(({ idempotent }) => idempotent?.key ?? []);
  const locks = new Set(keys.map((key) => crc32(key) | 0));
  return {
    ids: group.map(({ booking }) => booking.bookingId),
    resources: group.map(({ booking }) => booking.slot?.resourceId ?? ''),
    starts: group.map(({ booking }) => booking.slot?.start ?? 0),
    ends: group.map(({ booking }) => booking.slot?.end ?? 0),
    jsons: group.map(({ booking }) => booking.json).join('\n'),
    keys: group.map(({ idempotent }) => idempotent?.key ?? ''),
    fingerprints: group.map(({ idempotent }) => idempotent?.fingerprint ?? ''),
    locks: [...locks].toSorted((one, other) => one - other),
    lockTimeout,
  };
}
