import { named, prepared } from '../../platform/database/statement.js';
import type { AttemptRecord } from './attempt.js';

// `migrations/0002_events.sql` describes the states of deliveries and endpoints.

/** Maximum rows that a repeated statement changes at a time, so that each run ends within its time limit. */
export const MAX_CHANGED_ROWS = 10_000;

/** Maximum deliveries that are counted: counting more could outlast a scrape of the metrics. */
export const MAX_COUNT = 10_000;

/** Maximum deliveries of which the oldest is sought: that reads their rows, while a count reads an index alone. */
const MAX_EARLIEST = 1_000;

/**
 * Limits waits for rows that others hold, and commits without waiting for the disk or a standby, so that others do not
 * wait for these rows either. What a crash loses is done again: endpoints are registered again, events sent again.
 */
const SET_UP = `set_up AS MATERIALIZED (
    SELECT set_config('lock_timeout', $lockTimeout, true), set_config('synchronous_commit', 'off', true)
  )`;

export interface Limits {
  /** Maximum milliseconds that a statement waits for a row. */
  readonly lockTimeout: number;
}

/**
 * Adds new endpoints, whose events are recorded from now on, updates changed prefixes, and keeps known endpoints from
 * being forgotten.
 */
export const REGISTER = named<Limits & { names: string[]; prefixes: string[] }>(
  `WITH ${SET_UP}
  INSERT INTO webhook_endpoints AS endpoint (name, prefix)
    SELECT name, prefix FROM set_up CROSS JOIN unnest($names::text[], $prefixes::text[]) AS known (name, prefix)
    ORDER BY name
    ON CONFLICT (name) DO UPDATE SET prefix = excluded.prefix, seen_at = now()
    WHERE endpoint.prefix <> excluded.prefix OR endpoint.seen_at < now() - interval '30 s'`,
  { isShort: true },
);

/** Ends a delivery's wait if it is longer than any can be: the database's clock must have been set back. */
export const CAP_WAITS = named<Limits & { names: string[] }>(
  `WITH ${SET_UP}
  UPDATE webhook_deliveries SET due = now() FROM set_up
    WHERE endpoint = ANY ($names) AND due > now() + interval '10 min'`,
  { isShort: true },
);

/** Forgets endpoints that have been in no file for a week. */
export const FORGET_UNUSED = named<Limits>(
  `WITH ${SET_UP}
  DELETE FROM webhook_endpoints USING set_up WHERE seen_at < now() - interval '7 days'`,
  { isShort: true },
);

/**
 * Deletes up to {@link MAX_CHANGED_ROWS} deliveries of forgotten endpoints. The statement has to be repeated: a create
 * that still saw an endpoint may commit later. The search goes from name to name in the index, so it costs little if no
 * endpoint was forgotten.
 */
export const DELETE_ORPHANS = named<Limits>(
  `WITH RECURSIVE ${SET_UP}, names AS (
      SELECT min(endpoint) AS name FROM webhook_deliveries
      UNION ALL SELECT (SELECT min(endpoint) FROM webhook_deliveries WHERE endpoint > name)
      FROM names WHERE name IS NOT NULL
    )
    DELETE FROM webhook_deliveries USING set_up WHERE id = ANY (ARRAY(
      SELECT orphan.id FROM names, LATERAL (
        SELECT id FROM webhook_deliveries WHERE endpoint = name LIMIT ${MAX_CHANGED_ROWS}
      ) AS orphan
      WHERE name NOT IN (SELECT name FROM webhook_endpoints) LIMIT ${MAX_CHANGED_ROWS}
    ))`,
  { isShort: true },
);

/**
 * Records attempts: deletes acknowledged deliveries, defers failed ones or makes them dead letters, and applies the
 * verdict on the endpoint.
 */
export const RECORD = named<Limits & AttemptRecord>(
  `WITH ${SET_UP}, acknowledged AS (
    DELETE FROM webhook_deliveries USING set_up WHERE id = ANY ($acknowledged::uuid[])
  ), failed AS (
    UPDATE webhook_deliveries SET last_error = attempt ->> 'reason',
      due = CASE WHEN attempt ->> 'isLast' = 'false' THEN now() + (attempt ->> 'pause')::float8 * interval '1 ms' END
    FROM set_up CROSS JOIN unnest($failed::json[]) AS attempt WHERE id = (attempt ->> 'deliveryId')::uuid
  ), judged AS (
    -- If the count of failures has changed since the attempts began, the endpoint has been judged meanwhile, perhaps by
    -- another process: concurrent failures count once. A 410 ends the URL whatever failed beside it.
    UPDATE webhook_endpoints AS endpoint
    SET failures = CASE WHEN "isUp" THEN 0 ELSE endpoint.failures + 1 END, last_error = reason,
      due = now() + pause * interval '1 ms', due_set_at = now(), ended_url = "endedUrl"
    FROM set_up CROSS JOIN json_to_record($verdict)
      AS verdict ("isUp" boolean, failures int, pause float8, reason text, "endedUrl" text)
    WHERE name = $name AND (endpoint.failures = verdict.failures OR "endedUrl" IS NOT NULL) RETURNING endpoint.failures
  )
  SELECT (SELECT failures FROM judged) AS failures`,
  { isShort: true },
);

export interface ClaimRequest {
  readonly name: string;
  readonly url: string;
  readonly limit: number;
  /** Milliseconds until claimed deliveries are due again; longer than any attempt. */
  readonly claimTime: number;
  /** Whether to search all deliveries, rather than those that became due in the last ten seconds. */
  readonly isThorough: boolean;
}

const IS_DUE = 'endpoint = $name AND webhook_deliveries.due <= now()';

/**
 * Claims the earliest due deliveries within the search: up to `limit` while the endpoint is up, one after each pause
 * while it fails, none once it has ended.
 */
export const CLAIM = named<Limits & ClaimRequest>(
  `WITH ${SET_UP}, target AS (
    -- Empty once the endpoint has ended.
    SELECT failures FROM set_up CROSS JOIN webhook_endpoints WHERE name = $name AND ended_url IS DISTINCT FROM $url
  ), probe AS (
    -- A failing endpoint is tried once its pause is over. The pause is extended to the end of the claim, so that no
    -- other process probes meanwhile. A pause that was set in the future counts as over, since the database's clock
    -- must have been set back.
    UPDATE webhook_endpoints SET due = now() + $claimTime * interval '1 ms', due_set_at = now()
    FROM target WHERE name = $name AND target.failures > 0 AND (due <= now() OR due_set_at > now() + interval '1 min')
      AND EXISTS (SELECT FROM webhook_deliveries WHERE ${IS_DUE}) RETURNING name
  ), quota AS (
    SELECT CASE WHEN (SELECT failures FROM target) = 0 THEN $limit::int ELSE (SELECT count(*) FROM probe) END AS rows
  ), taken AS (
    -- Most searches cover the last ten seconds only: rows deleted during a backup stay in the index, and a full search
    -- then reads 116,000 pages instead of 1,600 (2026-11-25).
    UPDATE webhook_deliveries
    SET due = now() + $claimTime * interval '1 ms', attempts = attempts + 1, last_error = NULL,
      waiting_since = CASE WHEN attempts = 0 THEN now() ELSE waiting_since END
    WHERE id = ANY (ARRAY(
      SELECT id FROM webhook_deliveries WHERE ${IS_DUE} AND due > CASE
        WHEN $isThorough OR (SELECT failures > 0 FROM target) THEN '-infinity' ELSE now() - interval '10 s' END
      ORDER BY due LIMIT (SELECT rows FROM quota)
      FOR UPDATE SKIP LOCKED
    )) RETURNING *
  )
  SELECT taken.id, taken.booking_id AS "bookingId", type, attempts, failures,
    (SELECT json FROM bookings WHERE bookings.booking_id = taken.booking_id) AS json,
    waiting_since < now() - interval '3 days' AS "isLast",
    to_json(floor(extract(epoch FROM deleted_at) * 1000)::bigint) AS "deletedAt",
    CASE WHEN taken.resource_id IS NOT NULL THEN
      json_build_object('resourceId', taken.resource_id, 'start', slot_start, 'end', slot_end) END AS slot
  FROM target LEFT JOIN taken ON true`,
  { isShort: true },
);

/** Selects endpoints that no service seen in the last two minutes lists. */
export const UNLISTED = prepared(
  `SELECT name FROM webhook_endpoints WHERE seen_at <= now() - interval '2 min' ORDER BY name`,
  { isShort: true },
);

/** Selects each endpoint, counts its deliveries, and finds the oldest of those that are due first. */
export const STATES = prepared(
  `SELECT name, failures, greatest(0, extract(epoch FROM due - now()))::float8 AS "nextIn", ended_url AS "endedUrl",
      last_error AS "lastError", seen_at > now() - interval '2 min' AS "isInFile", pending,
      greatest(0, extract(epoch FROM now() - oldest))::float8 AS age, "deadLetters"
    FROM webhook_endpoints, LATERAL (
      SELECT count(*)::int AS pending FROM (
        SELECT FROM webhook_deliveries WHERE endpoint = name AND due IS NOT NULL LIMIT ${MAX_COUNT}
      ) AS pending_rows
    ) AS counted, LATERAL (
      SELECT min(waiting_since) AS oldest FROM (
        SELECT waiting_since FROM webhook_deliveries WHERE endpoint = name AND due IS NOT NULL
        ORDER BY due LIMIT ${MAX_EARLIEST}
      ) AS earliest_rows
    ) AS earliest, LATERAL (
      SELECT count(*)::int AS "deadLetters" FROM (
        SELECT FROM webhook_deliveries WHERE endpoint = name AND due IS NULL LIMIT ${MAX_COUNT}
      ) AS dead_rows
    ) AS dead ORDER BY name`,
);
