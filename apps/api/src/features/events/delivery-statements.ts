import { named, prepared } from '../../platform/database/statement.js';

/** Old bookings that are recorded at once, and events that may wait meanwhile. */
const REPLAY_BATCH = 1_000;

/** The highest count that is shown: more would take longer than a scrape of the metrics waits. */
const MAX_COUNT = 100_000;

/** Whether a time has come, or was set in the future: then the clock of the database was set back. */
const hasCome = (time: string, setAt: string): string => `(${time} <= now() OR ${setAt} > now() + interval '1 min')`;

/** Has bookings recorded for endpoints. Old ones wait for creates that began without the endpoint in sight. */
export const REGISTER = named<{ names: string[]; prefixes: string[]; areFirst: boolean[] }>(
  `INSERT INTO webhook_endpoints AS endpoint (name, prefix, replayed_to, replay_from)
    SELECT name, prefix, CASE WHEN is_first THEN '00000000-0000-0000-0000-000000000000'::uuid END, now() + interval '5 s'
    FROM unnest($names::text[], $prefixes::text[], $areFirst::boolean[]) AS known (name, prefix, is_first) ORDER BY name
    ON CONFLICT (name) DO UPDATE SET prefix = excluded.prefix, seen_at = now()
    WHERE endpoint.prefix <> excluded.prefix OR endpoint.seen_at < now() - interval '30 s'`,
);

/** Sends events that no pause explains: the clock of the database has gone back. */
export const HASTEN = named<{ names: string[] }>(
  `UPDATE webhook_deliveries SET due = now() WHERE endpoint = ANY ($names) AND due > now() + interval '10 min'`,
);

/** Forgets endpoints that are in no file for a week, once {@link REGISTER} has said which are in this one. */
export const FORGET_UNUSED = prepared(`DELETE FROM webhook_endpoints WHERE seen_at < now() - interval '7 days'`);

/** Deletes some events of forgotten endpoints. A create that still saw one may commit later than any other statement. */
export const SWEEP = prepared(
  `DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY(
      SELECT id FROM webhook_deliveries WHERE endpoint NOT IN (SELECT name FROM webhook_endpoints) LIMIT 10000
    ))`,
);

/** Records old bookings, unless many events wait already. A batch that is not full has reached the last booking. */
export const REPLAY = named<{ name: string }>(
  `WITH endpoint AS (
      SELECT name, prefix, replayed_to FROM webhook_endpoints
      WHERE name = $name AND replayed_to IS NOT NULL AND ${REPLAY_BATCH} > (
        SELECT count(*) FROM (
          SELECT FROM webhook_deliveries WHERE endpoint = $name AND due IS NOT NULL LIMIT ${REPLAY_BATCH}
        ) AS pending
      )
      FOR UPDATE SKIP LOCKED
    ), batch AS (
      SELECT booking_id, resource_id FROM bookings WHERE booking_id > (SELECT replayed_to FROM endpoint)
      ORDER BY booking_id LIMIT ${REPLAY_BATCH}
    ), recorded AS (
      INSERT INTO webhook_deliveries (endpoint, booking_id)
      SELECT name, booking_id FROM batch CROSS JOIN endpoint WHERE prefix = '' OR starts_with(resource_id, prefix)
    )
    UPDATE webhook_endpoints AS replayed
      SET replayed_to = (SELECT booking_id FROM batch ORDER BY booking_id OFFSET ${REPLAY_BATCH - 1})
      FROM endpoint WHERE replayed.name = endpoint.name RETURNING replayed.replayed_to IS NOT NULL AS "hasMore"`,
);

/** What is recorded, together with a claim, of attempts that have ended. */
export interface AttemptsRecord {
  /** Ids of deliveries. */
  readonly acknowledged: readonly string[];
  readonly failed: readonly string[];
  /** Why each of them failed. */
  readonly reasons: readonly string[];
  /** Milliseconds until each of them is due again, unless that was its last attempt. */
  readonly pauses: readonly number[];
  readonly areLast: readonly boolean[];
  /** Whether the endpoint, which failed, is back; if not, it fails. */
  readonly isBack: boolean;
  /** Failures of the endpoint in a row before the attempt that says so; null if none does. */
  readonly failures: number | null;
  /** Milliseconds until the endpoint is tried again. */
  readonly pause: number;
  readonly reason: string | null;
  /** The URL, if it wants no more events. */
  readonly endedUrl: string | null;
}

export interface ClaimLimits {
  readonly name: string;
  readonly url: string;
  /** How many events to claim, at most. None is claimed if a record says something of the endpoint. */
  readonly places: number;
  /** Milliseconds for which they are this process's to send; longer than an attempt takes. */
  readonly claimTime: number;
  /** Whether to look also for what was due more than ten seconds ago. */
  readonly isThorough: boolean;
}

/** Deletes what the receiver acknowledged. */
const ACKNOWLEDGE = 'DELETE FROM webhook_deliveries WHERE id = ANY ($acknowledged::uuid[])';

/** Has events that failed wait for their next attempt, or makes them dead letters. */
const FAIL = `UPDATE webhook_deliveries AS delivery
  SET last_error = reason, due = CASE WHEN NOT is_last THEN now() + pause * interval '1 ms' END
  FROM unnest($failed::uuid[], $reasons::text[], $pauses::float8[], $areLast::boolean[])
    AS failure (id, reason, pause, is_last) WHERE delivery.id = failure.id`;

/** Records that the endpoint is back, or fails. Of attempts that began at one count of failures, the first counts. */
const JUDGE = `UPDATE webhook_endpoints SET failures = CASE WHEN $isBack THEN 0 ELSE failures + 1 END,
    failed_at = now(), due = now() + $pause * interval '1 ms', last_error = $reason,
    ended_url = coalesce($endedUrl, ended_url)
  WHERE name = $name AND failures = $failures RETURNING failures`;

const DUE = `webhook_deliveries WHERE endpoint = $name AND webhook_deliveries.due <= now()`;

/** Takes the turn to try an endpoint that fails: with one event, in one process. */
const PROBE = `UPDATE webhook_endpoints SET due = now() + $claimTime * interval '1 ms', failed_at = now()
  WHERE name = $name AND failures > 0 AND ${hasCome('due', 'failed_at')} AND ended_url IS DISTINCT FROM $url
    AND $places > 0 AND $failures::int IS NULL AND EXISTS (SELECT FROM ${DUE})
  RETURNING 1 AS places, failures`;

/** Finds out how many events may be sent. */
const ALLOW = `SELECT places, failures FROM probe
  UNION ALL
  SELECT $places::int, 0 FROM webhook_endpoints
  WHERE name = $name AND failures = 0 AND $failures::int IS NULL AND ended_url IS DISTINCT FROM $url`;

/**
 * Picks the events that have waited longest, and that no other process picks. Mostly it looks at the last seconds: rows
 * that are deleted while a backup runs stay, and a look at all events reads them (116,000 pages, not 1,600; 2026-11-25).
 */
const PICK = `SELECT id FROM ${DUE} AND id <> ALL ($acknowledged::uuid[] || $failed::uuid[])
    AND due > CASE WHEN $isThorough OR (SELECT failures > 0 FROM allowed) THEN '-infinity'
      ELSE now() - interval '10 s' END
  ORDER BY due LIMIT coalesce((SELECT places FROM allowed), 0) FOR UPDATE SKIP LOCKED`;

/** Claims them for some time. The attempt is the last one three days after the first. */
const TAKE = `UPDATE webhook_deliveries SET due = now() + $claimTime * interval '1 ms', attempts = attempts + 1,
    waiting_since = CASE WHEN attempts = 0 THEN now() ELSE waiting_since END, last_error = NULL
  WHERE id = ANY (ARRAY(SELECT id FROM picked)) RETURNING *`;

/** The claim that is lost in a crash is made again: it need not wait for the disk, nor for a standby. */
const UNHURRIED = `SELECT set_config('synchronous_commit', 'off', true)`;

/** All parts see one snapshot, in which the events that are acknowledged or fail here are still due: `PICK` leaves them out. */
export const CLAIM = named<AttemptsRecord & ClaimLimits>(
  `WITH acknowledged AS (${ACKNOWLEDGE}), failed AS (${FAIL}), judged AS (${JUDGE}),
    probe AS (${PROBE}), allowed AS (${ALLOW}), picked AS (${PICK}), taken AS (${TAKE})
  SELECT taken.id, taken.booking_id AS "bookingId", attempts, (SELECT failures FROM allowed) AS failures,
    (SELECT json FROM bookings WHERE bookings.booking_id = taken.booking_id) AS json,
    waiting_since < now() - interval '3 days' AS "isLast",
    floor(extract(epoch FROM deleted_at) * 1000)::float8 AS "deletedAt",
    CASE WHEN taken.resource_id IS NOT NULL THEN
      json_build_object('resourceId', taken.resource_id, 'start', slot_start, 'end', slot_end) END AS slot,
    (SELECT failures FROM judged) AS judged,
    EXISTS (SELECT FROM webhook_endpoints WHERE name = $name AND replayed_to IS NOT NULL
      AND ${hasCome('replay_from', 'replay_from')}) AS "isReplayed"
  FROM (${UNHURRIED}) AS unhurried LEFT JOIN taken ON true`,
);

/** Shows each endpoint, and counts its events. */
export const STATES = prepared(
  `SELECT name, failures, greatest(0, extract(epoch FROM due - now()))::float8 AS pause, ended_url AS "endedUrl",
      last_error AS "lastError", seen_at > now() - interval '2 min' AS "isUsed", replayed_to IS NOT NULL AS "isReplayed",
      pending, greatest(0, extract(epoch FROM now() - oldest))::float8 AS age, "deadLetters"
    FROM webhook_endpoints, LATERAL (
      SELECT count(*)::int AS pending, min(waiting_since) AS oldest FROM (
        SELECT waiting_since FROM webhook_deliveries WHERE endpoint = name AND due IS NOT NULL ORDER BY due LIMIT ${MAX_COUNT}
      ) AS waiting
    ) AS waiting, LATERAL (
      SELECT count(*)::int AS "deadLetters" FROM (
        SELECT FROM webhook_deliveries WHERE endpoint = name AND due IS NULL LIMIT ${MAX_COUNT}
      ) AS dead
    ) AS dead ORDER BY name`,
);
