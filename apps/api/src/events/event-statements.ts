import { prepared, type Statement } from '../database/statement.js';
import type { BookingCreated } from './event.js';
import { LEASE, MAX_EVENT_BYTES, MAX_EVENTS, type Progress } from './event-store.js';

/** Bookings that get their sequence in one transaction. */
export const MAX_NUMBERED = 1_000;

/** Events that are looked through at once for those that match a filter. */
export const MAX_FILTERED = 1_024;

const PROGRESS = `delivered, previous, ahead, attempts, extract(epoch FROM failing_since) * 1000 AS failing_since`;

export const NUMBER = prepared(`SELECT number_events(${MAX_NUMBERED}) AS looked_at`);

export const TO_DO = prepared(
  `SELECT old_until IS NOT NULL OR EXISTS (SELECT FROM booking_outbox) AS unnumbered, ARRAY(
      SELECT name FROM webhook_endpoints
      WHERE due <= now() AND leased_until <= now() AND (delivered < last
        OR EXISTS (SELECT FROM webhook_parked WHERE endpoint = name AND is_due))
    ) AS endpoints
    FROM event_sequence`,
);

export const REGISTER = prepared(
  `INSERT INTO webhook_endpoints (name, delivered)
    SELECT $1, CASE WHEN $2 THEN 0 WHEN old_until IS NULL THEN last END FROM event_sequence FOR SHARE
    ON CONFLICT DO NOTHING`,
);

export const CLAIM = prepared(
  `UPDATE webhook_endpoints SET leased_by = $2, leased_until = now() + interval '${LEASE} ms'
    WHERE name = (
      SELECT name FROM webhook_endpoints
      WHERE name = $1 AND delivered IS NOT NULL AND due <= now() AND (leased_until <= now() OR leased_by = $2)
        AND ended_url IS DISTINCT FROM $3
      FOR UPDATE SKIP LOCKED
    ) RETURNING ${PROGRESS}, EXISTS (SELECT FROM webhook_parked WHERE endpoint = name AND is_due) AS has_parked`,
);

export const SAVE = prepared(
  `UPDATE webhook_endpoints SET delivered = $3, previous = $4, ahead = $5, attempts = $6,
      failing_since = to_timestamp($7::float8 / 1000), due = now() + $8 * interval '1 ms', ended_url = $9,
      leased_until = now() + $10 * interval '1 ms'
    WHERE name = $1 AND leased_by = $2`,
);

// Always one row at least, which tells how far was looked. `octet_length` does not read a text that lies apart. Bookings
// are looked up one by one: a plan for any limit, or of a time when the tables were empty, would read all of them.
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
    SELECT looked.*, matching.*,
      EXISTS (SELECT FROM webhook_parked AS parked WHERE endpoint = $1 AND parked.sequence = matching.sequence) AS parked
    FROM (SELECT max(sequence) AS scanned_to, count(*) AS scanned FROM scanned) AS looked
      LEFT JOIN matching ON place <= ${MAX_EVENTS} AND (bytes <= ${MAX_EVENT_BYTES} OR place = 1)
    ORDER BY sequence`,
  );
}

export const READ = readStatement(MAX_EVENTS, 'true');
export const READ_FILTERED = readStatement(MAX_FILTERED, 'starts_with(resource_id, $4)');

export const READ_PARKED = prepared(
  `SELECT sequence, previous, booking_id, resource_id, json
    FROM webhook_parked JOIN booking_events USING (sequence) JOIN bookings USING (booking_id)
    WHERE endpoint = $1 AND is_due ORDER BY sequence LIMIT 16`,
);

export const PARK = prepared(
  `INSERT INTO webhook_parked (endpoint, sequence, previous, reason) VALUES ($1, $2, $3, $4)
    ON CONFLICT (endpoint, sequence) DO UPDATE SET is_due = false, parked_at = now(), reason = excluded.reason`,
);

export const STATES = prepared(
  `SELECT name, ${PROGRESS}, ended_url, greatest(extract(epoch FROM due - now()) * 1000, 0) AS pause,
      greatest(last - delivered, 0) + noted.count AS behind,
      coalesce((SELECT booking_id FROM booking_events WHERE sequence > delivered ORDER BY sequence LIMIT 1), noted.first)
        AS oldest,
      (SELECT count(*) FROM webhook_parked WHERE endpoint = name) AS parked
    FROM webhook_endpoints, event_sequence, (
      SELECT count(*), (SELECT booking_id FROM booking_outbox ORDER BY position LIMIT 1) AS first
      FROM (SELECT FROM booking_outbox LIMIT 100000) AS known
    ) AS noted ORDER BY name`,
);

/** Of a bigint, and of what is made of one, which pg gives as text. */
type Digits = string;

export interface ProgressRow {
  delivered: Digits;
  previous: Digits;
  ahead: Digits[];
  attempts: number;
  failing_since: Digits | null;
}

export interface EventRow {
  sequence: Digits;
  previous: Digits;
  booking_id: string;
  resource_id: string | null;
  json: string;
}

export type ScannedRow = { scanned_to: Digits | null; scanned: Digits; matches: Digits | null; parked: boolean } & (
  | EventRow
  | { sequence: null }
);

export function progressOf({ delivered, previous, ahead, attempts, failing_since }: ProgressRow): Progress {
  return {
    delivered: Number(delivered),
    previous: Number(previous),
    ahead: ahead.map(Number),
    attempts,
    failingSince: failing_since === null ? undefined : Number(failing_since),
  };
}

export function eventOf({ sequence, previous, booking_id, resource_id, json }: EventRow): BookingCreated {
  return {
    sequence: Number(sequence),
    previous: Number(previous),
    bookingId: booking_id,
    resourceId: resource_id ?? undefined,
    json,
  };
}
