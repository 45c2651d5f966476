import { prepared } from 'postgres-database';

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

// To look first saves a create that is rejected the insert, which is its dearest part. It decides nothing: a conflict
// that this statement did not see, because it came while it waited, ends without a row, as every conflict would without
// the look. No target: ON CONFLICT cannot name an exclusion constraint (PostgreSQL, "INSERT", ON CONFLICT Clause).
export const CREATE = prepared(
  `WITH in_the_way AS MATERIALIZED (${selectInTheWay('$6', '$2', '$3', '$4')}),
    created AS (
      INSERT INTO bookings (booking_id, resource_id, slot_start, slot_end, json, idempotency_key, fingerprint)
      SELECT $1, $2, $3, $4, $5, $6, $7 WHERE NOT EXISTS (SELECT FROM in_the_way)
      ON CONFLICT DO NOTHING RETURNING booking_id
    )
    SELECT true AS is_kept, NULL AS json, NULL AS fingerprint FROM created
    UNION ALL SELECT false, json, fingerprint FROM in_the_way`,
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
    in_the_way AS MATERIALIZED (
      SELECT id, met.* FROM given
      CROSS JOIN LATERAL (${selectInTheWay('given.key', 'given.resource', 'given.starts', 'given.ends')} LIMIT 1) AS met
    ),
    created AS (
      INSERT INTO bookings (booking_id, resource_id, slot_start, slot_end, json, idempotency_key, fingerprint)
      SELECT id, resource, starts, ends, booking, key, payload FROM given
      WHERE (SELECT count(*) FROM locked) >= 0 AND id NOT IN (SELECT id FROM in_the_way) ORDER BY place
      ON CONFLICT DO NOTHING RETURNING booking_id
    )
    SELECT booking_id, true AS is_kept, NULL AS json, NULL AS fingerprint FROM created
    UNION ALL SELECT id, false, json, fingerprint FROM in_the_way`,
);
