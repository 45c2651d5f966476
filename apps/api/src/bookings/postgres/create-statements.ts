import { prepared } from '../../database/statement.js';

/** What stands in the way of a create: the booking of its key, or a holder of its slot, which has no fingerprint. */
export interface InTheWay {
  readonly json: string;
  readonly fingerprint: string | null;
}

/**
 * What stands in the way of a create, in the order in which it is judged. Slots of one resource do not overlap: if any
 * holds a part of the window, the last that starts before its end does. All are parameters of the statement.
 */
function selectInTheWay(key: string, resourceId: string, start: string, end: string): string {
  return `SELECT json, fingerprint FROM bookings WHERE idempotency_key = ${key}
    UNION ALL SELECT json, NULL FROM (
      SELECT slot_end, json FROM bookings WHERE resource_id = ${resourceId} AND slot_start < ${end}
      ORDER BY slot_start DESC LIMIT 1
    ) AS last WHERE slot_end > ${start}::bigint`;
}

export const FIND_IN_THE_WAY = prepared(selectInTheWay('$1', '$2', '$3', '$4'));

// One round trip says both whether the booking is kept and, if not, what stands in its way: the second part runs only
// where the first has no row. It reads what was there when the statement began: a conflict that came while the statement
// waited ends without a row. No target: ON CONFLICT cannot name an exclusion constraint (PostgreSQL, "INSERT",
// ON CONFLICT Clause).
export const CREATE = prepared(
  `WITH created AS (
      INSERT INTO bookings (booking_id, resource_id, slot_start, slot_end, json, idempotency_key, fingerprint)
      VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING booking_id
    )
    SELECT true AS is_kept, NULL AS json, NULL AS fingerprint FROM created
    UNION ALL SELECT false, json, fingerprint FROM (${selectInTheWay('$6', '$2', '$3', '$4')}) AS in_the_way
      WHERE NOT EXISTS (SELECT FROM created)`,
);

/**
 * The same for several bookings, in their order: one that conflicts is left out, also where it conflicts with one before
 * it. The keys are locked first: the filter is constant, so that it is evaluated once, before the first row. JSON texts
 * have no line break, which spares both sides the quoting of an array.
 */
export const CREATE_GROUP = prepared(
  `WITH locked AS MATERIALIZED (SELECT pg_advisory_xact_lock(1, lock) FROM unnest($8::int[]) AS lock),
    given AS MATERIALIZED (
      SELECT * FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[], string_to_array($5, E'\\n'), $6::text[],
        $7::text[]) WITH ORDINALITY AS given (id, resource, starts, ends, booking, key, payload, place)
    ),
    created AS (
      INSERT INTO bookings (booking_id, resource_id, slot_start, slot_end, json, idempotency_key, fingerprint)
      SELECT id, resource, starts, ends, booking, key, payload FROM given
      WHERE (SELECT count(*) FROM locked) >= 0 ORDER BY place
      ON CONFLICT DO NOTHING RETURNING booking_id
    )
    SELECT booking_id, true AS is_kept, NULL AS json, NULL AS fingerprint FROM created
    UNION ALL SELECT id, false, met.* FROM given
      CROSS JOIN LATERAL (${selectInTheWay('given.key', 'given.resource', 'given.starts', 'given.ends')} LIMIT 1) AS met
      WHERE id NOT IN (SELECT booking_id FROM created)`,
);
