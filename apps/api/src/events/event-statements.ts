import { prepared, type Statement } from '../database/statement.js';

/** Bookings that get their sequence in one transaction. */
export const MAX_ASSIGNED = 1_000;

/** Events, and bytes of JSON, that are read at once; one event at least. */
export const MAX_EVENTS = 128;
const MAX_EVENT_BYTES = 4 * 2 ** 20;

/** Events that are searched at once for those that match a filter. */
export const MAX_SCANNED = 1_024;

const PROGRESS = `delivered, previous, ahead, attempts, extract(epoch FROM now() - failing_since) * 1000 AS failing_for`;

export const IS_ON = prepared('SELECT events_are_on() AS on');
export const SWITCH_ON = prepared('SELECT switch_events_on() AS done');
// What other roles do is not shown: their transactions come first.
export const TABLE_HOLDER = prepared(
  `SELECT pid, mode FROM pg_locks LEFT JOIN pg_stat_activity USING (pid)
    WHERE relation = 'bookings'::regclass AND granted AND mode NOT IN ('AccessShareLock', 'RowShareLock')
    ORDER BY xact_start NULLS FIRST LIMIT 1`,
);
export const SWITCH_OFF = prepared('SELECT switch_events_off() AS done');

export const ASSIGN_SEQUENCES = prepared(`SELECT number_events(${MAX_ASSIGNED}) AS scanned`);

export const FIND_WORK = prepared(
  `SELECT old_until IS NOT NULL OR EXISTS (SELECT FROM booking_outbox) AS unsequenced, ARRAY(
      SELECT name FROM webhook_endpoints
      WHERE due <= now() AND leased_until <= now() AND (delivered < last
        OR EXISTS (SELECT FROM webhook_parked WHERE endpoint = name AND is_due))
    ) AS endpoints
    FROM event_sequence`,
);

export const REGISTER = prepared(
  `INSERT INTO webhook_endpoints (name, delivered)
    SELECT $1, CASE WHEN $2 THEN 0 WHEN old_until IS NULL THEN last END FROM event_sequence FOR SHARE
    ON CONFLICT (name) DO NOTHING`,
);

export const CLAIM = prepared(
  `UPDATE webhook_endpoints SET leased_by = $2, leased_until = now() + $4 * interval '1 ms'
    WHERE name = (
      SELECT name FROM webhook_endpoints
      WHERE name = $1 AND delivered IS NOT NULL AND due <= now() AND (leased_until <= now() OR leased_by = $2)
        AND ended_url IS DISTINCT FROM $3
      FOR UPDATE SKIP LOCKED
    ) RETURNING ${PROGRESS}, EXISTS (SELECT FROM webhook_parked WHERE endpoint = name AND is_due) AS has_parked`,
);

export const SAVE = prepared(
  `UPDATE webhook_endpoints SET delivered = $3, previous = $4, ahead = $5, attempts = $6,
      failing_since = now() - $7::float8 * interval '1 ms', due = now() + $8 * interval '1 ms', ended_url = $9,
      leased_until = now() + $10 * interval '1 ms'
    WHERE name = $1 AND leased_by = $2`,
);

// Always one row at least, which has how far was scanned. `octet_length` does not read a text that is stored apart. Bookings
// are looked up one by one: a plan for any limit, or from a time when the tables were empty, would read all of them.
function readStatement(most: number, matches: string): Statement {
  return prepared(
    `WITH scanned AS MATERIALIZED (
      SELECT sequence, booking_id FROM booking_events WHERE sequence > $2 ORDER BY sequence LIMIT ${most}
    ), matching AS (
      SELECT sequence, lag(sequence, 1, $3) OVER in_order AS previous, booking_id, resource_id, json,
        row_number() OVER in_order AS place, sum(octet_length(json)) OVER in_order AS bytes, count(*) OVER () AS matches
      FROM scanned CROSS JOIN LATERAL (
        SELECT resource_id, json FROM bookings WHERE bookings.booking_id = scanned.booking_id LIMIT 1
      ) AS booking
      WHERE ${matches} WINDOW in_order AS (ORDER BY sequence)
    )
    SELECT reached.*, matching.*,
      EXISTS (SELECT FROM webhook_parked AS parked WHERE endpoint = $1 AND parked.sequence = matching.sequence) AS parked
    FROM (SELECT max(sequence) AS scanned_to, count(*) AS scanned FROM scanned) AS reached
      LEFT JOIN matching ON place <= ${MAX_EVENTS} AND (bytes <= ${MAX_EVENT_BYTES} OR place = 1)
    ORDER BY sequence`,
  );
}

export const READ = readStatement(MAX_EVENTS, 'true');
export const READ_FILTERED = readStatement(MAX_SCANNED, 'starts_with(resource_id, $4)');

export const READ_PARKED = prepared(
  `SELECT sequence, previous, booking_id, resource_id, json
    FROM webhook_parked JOIN booking_events USING (sequence) JOIN bookings USING (booking_id)
    WHERE endpoint = $1 AND is_due ORDER BY sequence LIMIT 16`,
);

export const PARK = prepared(
  `INSERT INTO webhook_parked (endpoint, sequence, previous, reason) VALUES ($1, $2, $3, $4)
    ON CONFLICT (endpoint, sequence) DO UPDATE SET is_due = false, parked_at = now(), reason = excluded.reason`,
);

export const UNPARK = prepared('DELETE FROM webhook_parked WHERE endpoint = $1 AND sequence = $2');

export const RETRY = prepared(
  'UPDATE webhook_parked SET is_due = true WHERE endpoint = $1 AND sequence = coalesce($2, sequence)',
);

export const PARKED = prepared(
  `SELECT sequence, booking_id, reason, extract(epoch FROM parked_at) * 1000 AS parked_at, is_due
    FROM webhook_parked JOIN booking_events USING (sequence) WHERE endpoint = $1 ORDER BY sequence LIMIT 1000`,
);

export const WAKE = prepared(`UPDATE webhook_endpoints SET due = '-infinity', ended_url = NULL WHERE name = $1`);

export const STATES = prepared(
  `SELECT name, ${PROGRESS}, ended_url, extract(epoch FROM greatest(due, now()) - now()) * 1000 AS pause,
      greatest(last - delivered, 0) + noted.count AS behind,
      coalesce((SELECT booking_id FROM booking_events WHERE sequence > delivered ORDER BY sequence LIMIT 1), noted.first)
        AS oldest,
      (SELECT count(*) FROM webhook_parked WHERE endpoint = name) AS parked
    FROM webhook_endpoints, event_sequence, (
      SELECT count(*), (SELECT booking_id FROM booking_outbox ORDER BY position LIMIT 1) AS first
      FROM (SELECT FROM booking_outbox LIMIT 100000) AS known
    ) AS noted ORDER BY name`,
);
