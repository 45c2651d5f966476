import { prepared, type Statement } from '../database/statement.js';
import { MAX_RETRY_AFTER } from './post.js';

/** Bookings that get their sequence in one transaction. */
export const MAX_ASSIGNED = 1_000;

/** Events, and bytes of JSON, that are read at once; one event at least. */
export const MAX_EVENTS = 64;
const MAX_EVENT_BYTES = 4 * 2 ** 20;

/** Events that are searched at once for those that match a filter. */
export const MAX_SCANNED = 1_024;

/** Milliseconds for which an endpoint is its holder's after a claim or a renewal. */
export const LEASE = 5_000;

/**
 * What would last longer than it may was set before the clock of the database went back, as at a failover, and is over. A
 * transaction that began before that of a claim sees its end a little further ahead: hence twice the lease.
 */
export const IS_UNLEASED = `leased_until NOT BETWEEN now() AND now() + ${2 * LEASE} * interval '1 ms'`;
const IS_DUE = `due NOT BETWEEN now() AND now() + ${MAX_RETRY_AFTER + LEASE} * interval '1 ms'`;

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

export const ASSIGN_SEQUENCES = prepared(`SELECT assign_sequences(${MAX_ASSIGNED}, true) AS scanned`);

/** One row, of which a planner without statistics knows only by the limit. It takes a table for 1,000 rows and more. */
const EVENT_SEQUENCE = '(SELECT * FROM event_sequence LIMIT 1) AS event_sequence';

export const FIND_WORK = prepared(
  `SELECT old_until IS NOT NULL
      OR (SELECT true FROM booking_outbox WHERE position > CASE WHEN $1 THEN -1 ELSE floor END ORDER BY position LIMIT 1) IS NOT NULL
      OR EXISTS (SELECT FROM booking_deletions WHERE sequence IS NULL) AS unsequenced, ARRAY(
      SELECT name FROM webhook_endpoints
      WHERE ${IS_UNLEASED} AND ${IS_DUE} AND (delivered < last
        OR (SELECT true FROM webhook_parked AS deferred WHERE endpoint = name AND is_due AND deferred.due <= now() LIMIT 1))
    ) AS endpoints
    FROM ${EVENT_SEQUENCE}`,
);

export const REGISTER = prepared(
  `INSERT INTO webhook_endpoints (name, delivered)
    SELECT $1, CASE WHEN $2 THEN 0 WHEN old_until IS NULL THEN last END FROM event_sequence FOR SHARE
    ON CONFLICT (name) DO NOTHING`,
);

export const MARK_SEEN = prepared(
  `UPDATE webhook_endpoints SET seen_at = now()
    WHERE name = ANY($1) AND (seen_at BETWEEN now() - interval '30 s' AND now()) IS NOT TRUE`,
);

export const CLAIM = prepared(
  `UPDATE webhook_endpoints SET leased_by = $2, leased_until = now() + ${LEASE} * interval '1 ms'
    FROM (
      SELECT name AS free, due > now() OR (leased_until > now() AND leased_by IS DISTINCT FROM $2) AS was_set_back
      FROM webhook_endpoints
      WHERE name = $1 AND delivered IS NOT NULL AND ended_url IS DISTINCT FROM $3 AND ($4 OR ${IS_DUE})
        AND (${IS_UNLEASED} OR leased_by = $2)
      FOR UPDATE SKIP LOCKED
    ) AS claimed WHERE name = free
    RETURNING ${PROGRESS}, was_set_back`,
);

export const SAVE = prepared(
  `WITH saved AS (
      UPDATE webhook_endpoints SET delivered = $3, previous = $4, ahead = $5, attempts = $6,
        failing_since = now() - $7::float8 * interval '1 ms', ended_url = $9,
        due = CASE WHEN $8::float8 = 0 THEN '-infinity' ELSE now() + $8::float8 * interval '1 ms' END,
        leased_until = CASE WHEN $10 THEN now() + ${LEASE} * interval '1 ms' ELSE '-infinity' END,
        last_result = coalesce($11, last_result),
        last_attempt_at = coalesce(now() - $12::float8 * interval '1 ms', last_attempt_at)
      WHERE name = $1 AND leased_by = $2 RETURNING name
    ), settled AS (
      DELETE FROM webhook_parked WHERE endpoint = (SELECT name FROM saved) AND sequence = ANY($13::bigint[])
    )
    SELECT FROM saved`,
);

/** When the last deferred event of a lane before a sequence is due; null where none is. */
function lastDeferred(lane: string, sequence: string): string {
  return `(SELECT earlier.due FROM webhook_parked AS earlier
        WHERE earlier.endpoint = $1 AND earlier.is_due AND earlier.lane = ${lane} AND earlier.sequence < ${sequence}
        ORDER BY earlier.sequence DESC LIMIT 1)`;
}

/** All sequences, each of the creation or of the deletion of a booking. */
export const EVENTS = `(
      SELECT sequence, booking_id, false AS is_deletion FROM booking_events
      UNION ALL SELECT sequence, booking_id, true FROM booking_deletions
    ) AS events`;

// Looked up one by one: a plan for any limit, or from a time when the tables were empty, would read all of them. A booking
// that is gone is sent as its deletion; one that was deleted before deletions were noted has no slot and a new time.
export const CONTENT = `LEFT JOIN LATERAL (
        SELECT resource_id, json FROM bookings WHERE NOT is_deletion AND bookings.booking_id = events.booking_id LIMIT 1
      ) AS booking ON true
      LEFT JOIN LATERAL (
        SELECT resource_id, slot_start, slot_end, deleted_at FROM booking_deletions AS gone
        WHERE json IS NULL AND gone.booking_id = events.booking_id LIMIT 1
      ) AS deletion ON true`;
const CONTENT_COLUMNS = `booking_id, is_deletion, coalesce(booking.resource_id, deletion.resource_id) AS resource_id, json,
        slot_start, slot_end, floor(extract(epoch FROM coalesce(deleted_at, now())) * 1000) AS deleted_at`;

// Always one row at least, which has how far was scanned: to the last sequence, unless it was cut. `octet_length` does not read a text that is stored apart.
function readStatement(most: number, matches: string): Statement {
  return prepared(
    `WITH scanned AS MATERIALIZED (
      SELECT * FROM ${EVENTS} WHERE sequence > $2 ORDER BY sequence LIMIT ${most}
    ), matching AS (
      SELECT sequence, lag(sequence, 1, $3) OVER in_order AS previous, ${CONTENT_COLUMNS},
        row_number() OVER in_order AS place, sum(coalesce(octet_length(json), 0)) OVER in_order AS bytes,
        count(*) OVER () AS matches
      FROM scanned AS events ${CONTENT}
      WHERE ${matches} WINDOW in_order AS (ORDER BY sequence)
    )
    SELECT reached.*, matching.*,
      (SELECT true FROM webhook_parked AS parked WHERE endpoint = $1 AND parked.sequence = matching.sequence LIMIT 1) IS NOT NULL AS parked,
      ${lastDeferred('coalesce(resource_id, booking_id::text)', 'matching.sequence')} IS NOT NULL AS held
    FROM (
      SELECT CASE WHEN count(*) = ${most} THEN max(sequence) ELSE (SELECT last FROM event_sequence LIMIT 1) END AS scanned_to,
        count(*) AS scanned
      FROM scanned
    ) AS reached
      LEFT JOIN matching ON place <= ${MAX_EVENTS} AND (bytes <= ${MAX_EVENT_BYTES} OR place = 1)
    ORDER BY sequence`,
  );
}

export const READ = readStatement(MAX_EVENTS, 'true');
export const READ_FILTERED = readStatement(
  MAX_SCANNED,
  'starts_with(coalesce(booking.resource_id, deletion.resource_id), $4)',
);

// Without those that are in hand, and without their lanes. None of a lane is due before an earlier one of it.
export const READ_DEFERRED = prepared(
  `SELECT candidate.sequence AS deferred, rejections, events.sequence, previous, ${CONTENT_COLUMNS}
    FROM (
      SELECT sequence, previous, rejections FROM webhook_parked
      WHERE endpoint = $1 AND is_due AND due <= now() AND sequence <> ALL ($2::bigint[])
        AND (lane IS NULL OR lane <> ALL ($3::text[]))
      ORDER BY due, sequence LIMIT ${MAX_EVENTS}
    ) AS candidate
    LEFT JOIN LATERAL (
      SELECT * FROM ${EVENTS} WHERE events.sequence = candidate.sequence LIMIT 1
    ) AS events ON true ${CONTENT}
    ORDER BY candidate.sequence`,
);

/** Events that are not deferred yet, behind those of their lanes that are. */
export const DEFER = prepared(
  `INSERT INTO webhook_parked (endpoint, sequence, previous, lane, reason, is_due, due)
    SELECT $1, sequence, previous, lane, 'waits for another event', true,
      coalesce(${lastDeferred('event.lane', 'event.sequence')}, '-infinity')
    FROM unnest($2::bigint[], $3::bigint[], $4::text[]) AS event (sequence, previous, lane)
    ON CONFLICT (endpoint, sequence) DO NOTHING`,
);

/** Has an event sent again later, and after it those of its lane that are deferred. */
export const REJECT = prepared(
  `WITH behind AS (
      UPDATE webhook_parked SET due = now() + $6::float8 * interval '1 ms'
      WHERE endpoint = $1 AND lane = $4 AND is_due AND sequence > $2
    )
    INSERT INTO webhook_parked AS parked (endpoint, sequence, previous, lane, reason, is_due, due, rejections)
    VALUES ($1, $2, $3, $4, $5, true, now() + $6::float8 * interval '1 ms', 1)
    ON CONFLICT (endpoint, sequence) DO UPDATE
      SET is_due = true, due = excluded.due, reason = excluded.reason, parked_at = now(), rejections = parked.rejections + 1`,
);

export const PARK = prepared(
  `INSERT INTO webhook_parked (endpoint, sequence, previous, lane, reason) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (endpoint, sequence) DO UPDATE
      SET is_due = false, lane = excluded.lane, parked_at = now(), reason = excluded.reason`,
);

/** Up to 1,000 after a sequence. */
export const RETRY = prepared(
  `WITH batch AS (
      SELECT sequence FROM webhook_parked
      WHERE endpoint = $1 AND NOT is_due AND sequence > $2 AND sequence <= $3 ORDER BY sequence LIMIT 1000
    ), due AS (
      UPDATE webhook_parked AS parked
      SET is_due = true, rejections = 0, due = coalesce(${lastDeferred('parked.lane', 'parked.sequence')}, '-infinity')
      WHERE endpoint = $1 AND NOT is_due AND sequence > $2 AND sequence <= (SELECT max(sequence) FROM batch)
      RETURNING sequence
    )
    SELECT count(*), max(sequence) AS last FROM due`,
);

export const PARKED = prepared(
  `SELECT sequence, booking_id, reason, extract(epoch FROM parked_at) * 1000 AS parked_at, is_due
    FROM webhook_parked JOIN ${EVENTS} USING (sequence) WHERE endpoint = $1 ORDER BY sequence LIMIT 1000`,
);

export const WAKE = prepared(`UPDATE webhook_endpoints SET due = '-infinity', ended_url = NULL WHERE name = $1`);

/** Whether a running service has the endpoint in its file, or had it two minutes ago. */
export const IS_USED = `(seen_at > now() - interval '2 min' IS TRUE OR NOT (${IS_UNLEASED}))`;

export const STATES = prepared(
  `SELECT name, ${PROGRESS}, ended_url, extract(epoch FROM greatest(due, now()) - now()) * 1000 AS pause,
      greatest(last - delivered, 0) + noted.count + deferred AS behind, deferred,
      coalesce(next.booking_id, noted.first) AS oldest,
      (SELECT floor(extract(epoch FROM deleted_at) * 1000) FROM booking_deletions AS gone
        WHERE next.is_deletion AND gone.booking_id = next.booking_id) AS oldest_deleted_at,
      (SELECT count(*) FROM webhook_parked WHERE endpoint = name AND NOT is_due) AS parked,
      ${IS_USED} AS is_used,
      last_result, extract(epoch FROM last_attempt_at) * 1000 AS last_attempt_at
    FROM ${EVENT_SEQUENCE} CROSS JOIN LATERAL (
      SELECT (SELECT count(*) FROM (SELECT FROM booking_outbox WHERE position > floor ORDER BY position LIMIT 100000) AS known)
          + (SELECT count(*) FROM booking_deletions WHERE sequence IS NULL) AS count,
        (SELECT booking_id FROM booking_outbox WHERE position > floor ORDER BY position LIMIT 1) AS first
    ) AS noted CROSS JOIN webhook_endpoints CROSS JOIN LATERAL (
      SELECT count(*) AS deferred, min(sequence) AS first_deferred FROM webhook_parked WHERE endpoint = name AND is_due
    ) AS beside LEFT JOIN LATERAL (
      SELECT booking_id, is_deletion FROM ${EVENTS}
      WHERE sequence >= least(delivered + 1, first_deferred)
      ORDER BY sequence LIMIT 1
    ) AS next ON true ORDER BY name`,
);
