import { prepared } from '../../platform/database/statement.js';

/** Rows that one statement changes, so that it stays within its time limit. */
const BATCH = 10_000;

/** Bookings from before an endpoint was known that are recorded at once, and events that may wait meanwhile. */
const REPLAY_BATCH = 1_000;

/** Failures of an endpoint in a row after which its events need not wait for their own pauses: those were the endpoint's. */
const OUTAGE = 5;

/** Whether an endpoint that fails may be tried: the clock of the database may have gone back. */
const IS_DUE = `(due <= now() OR failed_at > now() + interval '1 min')`;

/**
 * Deliveries that are due. Most looks are for those of the last seconds: while an old snapshot keeps deleted rows, each
 * look at all of them reads those too.
 *
 * @param isThorough SQL that says whether to look at all
 */
const dueOf = (endpoint: string, isThorough: string): string =>
  `webhook_deliveries AS delivery WHERE delivery.endpoint = ${endpoint} AND delivery.due <= now()
        AND delivery.due > CASE WHEN ${isThorough} THEN '-infinity'::timestamptz ELSE now() - interval '10 s' END`;

/** The least id of the bookings of a time. */
const idOf = (time: string): string =>
  `(lpad(to_hex((extract(epoch FROM ${time}) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`;

// A create that does not see the endpoint yet ends within seconds. Bookings of these seconds are recorded twice.
export const REGISTER = prepared(
  `INSERT INTO webhook_endpoints AS endpoint (name, prefix, replayed_to, replay_until)
    SELECT name, prefix, CASE WHEN is_first THEN '00000000-0000-0000-0000-000000000000'::uuid END, now() + interval '5 s'
    FROM unnest($1::text[], $2::text[], $3::boolean[]) AS known (name, prefix, is_first) ORDER BY name
    ON CONFLICT (name) DO UPDATE SET prefix = excluded.prefix, seen_at = now()
    WHERE endpoint.prefix <> excluded.prefix OR endpoint.seen_at < now() - interval '30 s'`,
);

// No pause of an event is as long, so that the clock of the database went back. An endpoint that is in no file for a week
// is forgotten, but none of this file: this may be the first moment in which a machine runs after a pause.
export const MAINTAIN = prepared(
  `WITH hastened AS (
      UPDATE webhook_deliveries SET due = now() WHERE endpoint = ANY($1) AND due > now() + interval '10 min'
    )
    DELETE FROM webhook_endpoints WHERE seen_at < now() - interval '7 days' AND name <> ALL($1)`,
);

/** Deletes events of forgotten endpoints. A create that still saw one may commit later than any other statement. */
export const SWEEP = prepared(
  `DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY(
      SELECT id FROM webhook_deliveries WHERE endpoint NOT IN (SELECT name FROM webhook_endpoints) LIMIT ${BATCH}
    ))`,
);

export const FIND_DUE = prepared(
  `SELECT name, is_replayed AS "isReplayed" FROM unnest($1::text[], $2::text[]) AS known (name, url)
    JOIN webhook_endpoints AS endpoint USING (name),
    LATERAL (SELECT replayed_to IS NOT NULL AND replay_until < now() AS is_replayed) AS replay
    WHERE ended_url IS DISTINCT FROM url AND (failures = 0 OR ${IS_DUE})
      AND (is_replayed OR EXISTS (SELECT FROM ${dueOf('name', '$3 OR failures > 0')}))`,
);

export const REPLAY = prepared(
  `WITH endpoint AS (
      SELECT name, prefix, replayed_to, ${idOf('replay_until')} AS bound FROM webhook_endpoints
      WHERE name = $1 AND replayed_to IS NOT NULL AND replay_until < now() AND ${REPLAY_BATCH} > (
        SELECT count(*) FROM (
          SELECT FROM webhook_deliveries WHERE endpoint = $1 AND due IS NOT NULL LIMIT ${REPLAY_BATCH}
        ) AS pending
      )
      FOR UPDATE SKIP LOCKED
    ), batch AS (
      SELECT booking_id, resource_id FROM bookings
      WHERE booking_id > (SELECT replayed_to FROM endpoint) AND booking_id < (SELECT bound FROM endpoint)
      ORDER BY booking_id LIMIT ${REPLAY_BATCH}
    ), recorded AS (
      INSERT INTO webhook_deliveries (endpoint, booking_id)
      SELECT name, booking_id FROM batch CROSS JOIN endpoint WHERE prefix = '' OR starts_with(resource_id, prefix)
    )
    UPDATE webhook_endpoints AS replayed
      SET replayed_to = (SELECT booking_id FROM batch ORDER BY booking_id DESC LIMIT 1)
      FROM endpoint WHERE replayed.name = endpoint.name`,
);

// Deletes what was acknowledged, and claims what is due. While it fails, an endpoint gets one event, of one process: the
// one that moves its time on.
export const CLAIM = prepared(
  `WITH acknowledged AS (
      DELETE FROM webhook_deliveries WHERE id = ANY($3::bigint[])
    ), probe AS (
      UPDATE webhook_endpoints SET due = now() + $5 * interval '1 ms', failed_at = now()
      WHERE name = $1 AND failures > 0 AND ${IS_DUE} AND ended_url IS DISTINCT FROM $2 AND $4 > 0
        AND EXISTS (SELECT FROM ${dueOf('name', 'true')})
      RETURNING failures
    ), allowed AS (
      SELECT 1 AS places, failures FROM probe
      UNION ALL
      SELECT $4::int, 0 FROM webhook_endpoints WHERE name = $1 AND failures = 0 AND ended_url IS DISTINCT FROM $2
    ), next AS (
      SELECT id FROM ${dueOf('$1', '$6 OR (SELECT failures > 0 FROM allowed)')}
      ORDER BY delivery.due LIMIT coalesce((SELECT places FROM allowed), 0) FOR UPDATE SKIP LOCKED
    ), claimed AS (
      UPDATE webhook_deliveries SET due = now() + $5 * interval '1 ms', attempts = attempts + 1, last_error = NULL
      WHERE id = ANY (ARRAY(SELECT id FROM next)) AND id <> ALL ($3::bigint[])
      RETURNING id, booking_id, attempts, deleted_at, resource_id, slot_start, slot_end
    )
    SELECT claimed.id, claimed.booking_id AS "bookingId", attempts, failures, json,
      floor(extract(epoch FROM deleted_at) * 1000)::float8 AS "deletedAt",
      CASE WHEN claimed.resource_id IS NOT NULL THEN
        json_build_object('resourceId', claimed.resource_id, 'start', slot_start, 'end', slot_end) END AS slot
    FROM claimed CROSS JOIN allowed
    LEFT JOIN LATERAL (
      SELECT json FROM bookings WHERE bookings.booking_id = claimed.booking_id LIMIT 1
    ) AS booking ON true`,
);

// Where $4 is set, the endpoint failed too; of attempts that began after as many failures, one counts.
export const FAIL = prepared(
  `WITH endpoint AS (
      UPDATE webhook_endpoints SET failures = failures + 1, failed_at = now(), due = now() + $4 * interval '1 ms',
        last_error = $3, ended_url = coalesce($5, ended_url)
      WHERE name = $6 AND failures = $7 AND $4::float8 IS NOT NULL RETURNING failures
    )
    UPDATE webhook_deliveries SET last_error = $3,
      due = CASE WHEN recorded_at > now() - interval '3 days' THEN now() + $2 * interval '1 ms' END
    WHERE id = $1 RETURNING due IS NULL AS "isDead", (SELECT failures FROM endpoint) AS failures`,
);

export const RECOVER = prepared(
  `WITH recovered AS (
      UPDATE webhook_endpoints SET failures = 0 WHERE name = $1 AND failures = $2 RETURNING name
    ), hastened AS (
      UPDATE webhook_deliveries SET due = now(), attempts = 0
      WHERE endpoint = (SELECT name FROM recovered WHERE $2 >= ${OUTAGE}) AND due > now() AND last_error IS NOT NULL
    )
    SELECT FROM recovered`,
);

export const STATES = prepared(
  `SELECT name, failures, greatest(0, extract(epoch FROM due - now()))::float8 AS pause, ended_url AS "endedUrl",
      last_error AS "lastError", seen_at > now() - interval '2 min' AS "isUsed", replayed_to IS NOT NULL AS "isReplayed",
      pending, "deadLetters", greatest(0, extract(epoch FROM now() - oldest))::float8 AS age
    FROM webhook_endpoints CROSS JOIN LATERAL (
      SELECT count(due)::int AS pending, (count(*) - count(due))::int AS "deadLetters",
        min(recorded_at) FILTER (WHERE due IS NOT NULL) AS oldest
      FROM webhook_deliveries WHERE endpoint = name
    ) AS waiting ORDER BY name`,
);
