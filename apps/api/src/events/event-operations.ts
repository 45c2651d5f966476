import type { Database } from '../database/database.js';
import { prepared } from '../database/statement.js';
import { CONTENT, EVENTS, IS_UNLEASED, IS_USED, LEASE } from './event-statements.js';
import type { Endpoint } from './webhooks-file.js';

// Whoever has the lease finds at its next save that it is not its own, and stops; another one claims it later.
const REPLAY = prepared(
  `UPDATE webhook_endpoints SET delivered = $2::bigint - 1, ahead = '{}', due = '-infinity', leased_by = NULL,
      leased_until = CASE WHEN ${IS_UNLEASED} THEN '-infinity' ELSE now() + ${LEASE} * interval '1 ms' END,
      previous = coalesce((SELECT sequence FROM ${EVENTS} ${CONTENT}
        WHERE sequence < $2 AND ($3 = '' OR starts_with(coalesce(booking.resource_id, deletion.resource_id), $3))
        ORDER BY sequence DESC LIMIT 1), 0)
    FROM (SELECT name AS replayed, delivered AS reached FROM webhook_endpoints WHERE name = $1 FOR UPDATE) AS before
    WHERE name = replayed AND reached >= $2 RETURNING reached`,
);

// A sequence that an operator left out has an id of another version.
const FIRST_SINCE = prepared(
  `SELECT least(
      (SELECT min(sequence) FROM booking_events
        WHERE booking_id >= (lpad(to_hex($1::bigint), 12, '0') || repeat('0', 20))::uuid
          AND substr(booking_id::text, 15, 1) = '7'),
      (SELECT min(sequence) FROM booking_deletions WHERE deleted_at >= to_timestamp($1::bigint / 1000.0))
    ) AS sequence`,
);

const FORGET = prepared(
  `WITH forgotten AS (
      DELETE FROM webhook_endpoints WHERE name = $1 AND NOT ${IS_USED} RETURNING name
    ), parked AS (
      DELETE FROM webhook_parked WHERE endpoint = (SELECT name FROM forgotten) RETURNING endpoint
    )
    SELECT (SELECT count(*) FROM parked) AS parked FROM forgotten`,
);

const RENUMBER = prepared('SELECT renumber_events($1) AS last');

const DROP = prepared('DELETE FROM webhook_parked WHERE endpoint = $1 AND sequence = $2 AND NOT is_due');

/** What operators do to events and endpoints, at any time. Each is one step, and throws as the methods of `EventStore` do. */
export class EventOperations {
  constructor(private readonly database: Database) {}

  /**
   * Has an endpoint receive again what it received from a sequence on, except what is parked.
   *
   * @param prefix of its filter
   * @returns the sequence up to which it had received all; undefined if that is lower, and nothing is changed
   */
  async replay({ name, prefix }: Pick<Endpoint, 'name' | 'prefix'>, from: number): Promise<number | undefined> {
    const { rows } = await this.database.write<{ reached: string }>(REPLAY, [name, from, prefix]);
    return rows[0] && Number(rows[0].reached);
  }

  /** The first sequence of a booking that was created, or deleted, at a time or later. @param time milliseconds since 1970 */
  async firstSince(time: number): Promise<number | undefined> {
    const { rows } = await this.database.run<{ sequence: string | null }>(FIRST_SINCE, [time]);
    return rows[0]!.sequence === null ? undefined : Number(rows[0]!.sequence);
  }

  /**
   * Leaves sequences out: receivers have those of a database before its restore.
   *
   * @param from those from this one on are given anew, as the owner of the tables
   * @returns the last sequence that is left out, or given
   */
  async renumber(from?: number): Promise<number> {
    const { rows } = await this.database.write<{ last: string }>(RENUMBER, [from]);
    return Number(rows[0]!.last);
  }

  /** Removes a parked event: only a replay sends it then. @returns whether it was parked, and is not being sent again */
  async drop(endpoint: string, sequence: number): Promise<boolean> {
    const { rowCount } = await this.database.write(DROP, [endpoint, sequence]);
    return rowCount === 1;
  }

  /**
   * Forgets an endpoint and what is parked for it, unless a service uses it.
   *
   * @returns how many events were parked; undefined if it is in use or unknown
   */
  async forget(endpoint: string): Promise<number | undefined> {
    const { rows } = await this.database.write<{ parked: string }>(FORGET, [endpoint]);
    return rows[0] && Number(rows[0].parked);
  }
}
