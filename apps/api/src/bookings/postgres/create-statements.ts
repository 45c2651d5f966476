import { HAS_CONSTRAINTS } from '../../platform/database/schema.js';
import { prepared } from '../../platform/database/statement.js';

/** What stops a create: the booking of its key, or a holder of its slot, which has no fingerprint. */
export interface Conflict {
  readonly json: string;
  readonly fingerprint: string | null;
}

/**
 * The conflict of a create, its key before its slot. Slots of one resource do not overlap: if any holds a part of the
 * window, the first that ends after its start does.
 *
 * @param key and all others are parameters of the statement
 */
function selectConflict(key: string, resourceId: string, start: string, end: string): string {
  return `SELECT json, fingerprint FROM bookings WHERE idempotency_key = ${key}
    UNION ALL SELECT json, NULL FROM (
      SELECT slot_start, json FROM bookings WHERE resource_id = ${resourceId} AND slot_end > ${start}
      ORDER BY slot_end LIMIT 1
    ) AS first WHERE slot_start < ${end}::bigint`;
}

/**
 * Always true. Limits the lock waits of the transaction to `lockTimeout` milliseconds, and makes its commit wait for the
 * disk, whatever is set for the role or the server.
 */
const setUp = (lockTimeout: string): string => `set_config('lock_timeout', ${lockTimeout}, true) IS NOT NULL
        AND (current_setting('synchronous_commit') <> 'off' OR set_config('synchronous_commit', 'on', true) IS NOT NULL)`;

// One round trip returns whether the booking is kept and, if not, its conflict: the second part runs only where the
// first has no row. It reads what was there when the statement began: a conflict that was committed while the statement
// waited ends without a row. No target: ON CONFLICT cannot name an exclusion constraint (PostgreSQL, "INSERT",
// ON CONFLICT Clause).
export const CREATE = prepared(
  `WITH created AS (
      INSERT INTO bookings (booking_id, resource_id, slot_start, slot_end, json, idempotency_key, fingerprint)
      SELECT $1::uuid, $2, $3::bigint, $4::bigint, $5, $6, $7 WHERE ${HAS_CONSTRAINTS} AND ${setUp('$8')}
      ON CONFLICT DO NOTHING RETURNING booking_id
    )
    SELECT true AS is_kept, NULL AS json, NULL AS fingerprint FROM created
    UNION ALL SELECT false, json, fingerprint FROM (${selectConflict('$6', '$2', '$3', '$4')}) AS conflict
      WHERE NOT EXISTS (SELECT FROM created)`,
);

/**
 * The same for several bookings, in their order: one that conflicts is left out, also if it conflicts with an earlier one.
 * The keys are locked first, those of this table: the filter is constant, so that it is evaluated once, before the first
 * row. JSON texts have no line break, so they need not be quoted as an array would be. What a booking does not have is sent
 * as an empty text: a role may have `array_nulls` off, and a null in an array would be the text `NULL`.
 */
export const CREATE_GROUP = prepared(
  `WITH locked AS MATERIALIZED (
      SELECT pg_advisory_xact_lock('bookings'::regclass::oid::int, lock) FROM unnest($8::int[]) AS lock
      WHERE (SELECT ${setUp('$9')})
    ),
    given AS MATERIALIZED (
      SELECT id, nullif(resource, '') AS resource, CASE WHEN resource <> '' THEN starts END AS starts,
        CASE WHEN resource <> '' THEN ends END AS ends, booking, nullif(key, '') AS key, nullif(payload, '') AS payload, place
      FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[], string_to_array($5, E'\\n'), $6::text[], $7::text[])
        WITH ORDINALITY AS sent (id, resource, starts, ends, booking, key, payload, place)
    ),
    created AS (
      INSERT INTO bookings (booking_id, resource_id, slot_start, slot_end, json, idempotency_key, fingerprint)
      SELECT id, resource, starts, ends, booking, key, payload FROM given
      WHERE (SELECT count(*) FROM locked) >= 0 AND ${HAS_CONSTRAINTS} ORDER BY place
      ON CONFLICT DO NOTHING RETURNING booking_id
    )
    SELECT booking_id, true AS is_kept, NULL AS json, NULL AS fingerprint FROM created
    UNION ALL SELECT id, false, conflict.* FROM given
      CROSS JOIN LATERAL (${selectConflict('given.key', 'given.resource', 'given.starts', 'given.ends')} LIMIT 1) AS conflict
      WHERE id NOT IN (SELECT booking_id FROM created)`,
);
