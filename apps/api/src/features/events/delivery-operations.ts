import type { Database } from '../../platform/database/database.js';
import { prepared } from '../../platform/database/statement.js';
import { SWEEP } from './delivery-statements.js';

/** Rows that one statement changes, so that it stays within its time limit. */
const BATCH = 10_000;

const EVENT_ID = `(CASE WHEN deleted_at IS NULL THEN 'created-' ELSE 'deleted-' END || booking_id)`;

const utc = (time: string): string => `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

const FAILED = prepared(
  `SELECT ${EVENT_ID} || '  since ' || ${utc('recorded_at')} || ', ' || attempts || ' attempts, '
      || coalesce('next attempt ' || ${utc('due')}, 'dead letter') || ': ' || last_error AS line
    FROM webhook_deliveries WHERE endpoint = $1 AND last_error IS NOT NULL
    ORDER BY due IS NOT NULL, recorded_at LIMIT 100`,
);

const RETRY = prepared(
  `UPDATE webhook_deliveries SET due = now(), recorded_at = now(), attempts = 0, last_error = NULL WHERE id = ANY (ARRAY(
      SELECT id FROM webhook_deliveries WHERE endpoint = $1
        AND CASE WHEN $2::text IS NULL THEN due IS NULL ELSE ${EVENT_ID} = $2 AND last_error IS NOT NULL END
      LIMIT ${BATCH}
    ))`,
);

const WAKE = prepared('UPDATE webhook_endpoints SET due = now(), ended_url = NULL WHERE name = $1');

const DROP = prepared(`DELETE FROM webhook_deliveries WHERE endpoint = $1 AND ${EVENT_ID} = $2`);

// A replay that is under way may have begun later.
const REPLAY_SINCE = prepared(
  `UPDATE webhook_endpoints SET replayed_to = least(replayed_to, $2::uuid), replay_until = greatest(replay_until, now())
    WHERE name = $1`,
);

const FORGET = prepared('DELETE FROM webhook_endpoints WHERE name = $1');

/** What operators do with endpoints and undelivered events. */
export class DeliveryOperations {
  constructor(private readonly database: Database) {}

  /** A line for each event whose last attempt failed: dead letters first, 100 at most. */
  async failed(name: string): Promise<string[]> {
    return (await this.database.run<{ line: string }>(FAILED, [name])).rows.map(({ line }) => line);
  }

  /**
   * Sends the events of an endpoint now, with one that failed, or with all dead letters.
   *
   * @returns how many of these there are
   */
  async retry(name: string, event?: string): Promise<number> {
    const count = await this.repeat(RETRY, [name, event]);
    await this.database.write(WAKE, [name]);
    return count;
  }

  /** @returns whether there was such an event */
  async drop(name: string, event: string): Promise<boolean> {
    return (await this.database.write(DROP, [name, event])).rowCount! > 0;
  }

  /** Sends the bookings since an instant again. @param since milliseconds since 1970 @returns whether it is known */
  async replay(name: string, since: number): Promise<boolean> {
    const first = since.toString(16).padStart(12, '0').padEnd(32, '0');
    return (await this.database.write(REPLAY_SINCE, [name, first])).rowCount === 1;
  }

  /** @returns how many undelivered events are deleted */
  async forget(name: string): Promise<number> {
    await this.database.write(FORGET, [name]);
    return this.repeat(SWEEP);
  }

  private async repeat(statement: typeof RETRY, values?: unknown[]): Promise<number> {
    for (let total = 0; ;) {
      const count = (await this.database.write(statement, values)).rowCount!;
      total += count;
      if (count === 0) return total;
    }
  }
}
