import type { Database } from '../database/database.js';
import { prepared } from '../database/statement.js';

/** Rows that one statement changes, so that it stays within its time limit. */
const BATCH = 10_000;

/** Undelivered events that are shown, at most. */
const MAX_SHOWN = 100;

const EVENT_ID = `(CASE WHEN deleted_at IS NULL THEN 'created-' ELSE 'deleted-' END || booking_id)`;

const FAILED = prepared(
  `SELECT ${EVENT_ID} AS id, recorded_at AS "recordedAt", due, attempts, last_error AS "lastError"
    FROM webhook_deliveries WHERE endpoint = $1 AND last_error IS NOT NULL
    ORDER BY due IS NOT NULL, recorded_at LIMIT ${MAX_SHOWN}`,
);

const RETRY = prepared(
  `UPDATE webhook_deliveries SET due = now(), recorded_at = now(), attempts = 0 WHERE id = ANY (ARRAY(
      SELECT id FROM webhook_deliveries WHERE endpoint = $1 AND due IS NULL LIMIT ${BATCH}
    ))`,
);

const RETRY_ONE = prepared(
  `UPDATE webhook_deliveries SET due = now(), recorded_at = now(), attempts = 0
    WHERE endpoint = $1 AND ${EVENT_ID} = $2 AND last_error IS NOT NULL`,
);

const WAKE = prepared('UPDATE webhook_endpoints SET due = now(), ended_url = NULL WHERE name = $1');

const DROP = prepared(`DELETE FROM webhook_deliveries WHERE endpoint = $1 AND ${EVENT_ID} = $2`);

// One that is under way may have begun later.
const REPLAY_SINCE = prepared(
  `UPDATE webhook_endpoints SET replayed_to = least(replayed_to, $2::uuid), replay_until = greatest(replay_until, now())
    WHERE name = $1`,
);

const FORGET = prepared(`DELETE FROM webhook_endpoints WHERE name = $1 AND seen_at < now() - interval '2 min'`);

const IS_KNOWN = prepared('SELECT FROM webhook_endpoints WHERE name = $1');

const FORGET_EVENTS = prepared(
  `DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY(
      SELECT id FROM webhook_deliveries WHERE endpoint = $1 LIMIT ${BATCH}
    ))`,
);

/** An undelivered event whose last attempt failed. */
export interface FailedEvent {
  readonly id: string;
  readonly recordedAt: Date;
  /** Null once it is a dead letter. */
  readonly due: Date | null;
  readonly attempts: number;
  readonly lastError: string;
}

/** What operators do with endpoints and undelivered events. */
export class DeliveryOperations {
  constructor(private readonly database: Database) {}

  /** Dead letters first, then events that are retried; 100 at most. */
  async failed(name: string): Promise<FailedEvent[]> {
    return (await this.database.run<FailedEvent>(FAILED, [name])).rows;
  }

  /**
   * Has an endpoint sent events now, with one that failed, or with all dead letters.
   *
   * @returns how many these are
   */
  async retry(name: string, event?: string): Promise<number> {
    const count =
      event === undefined
        ? await this.repeat(RETRY, [name])
        : (await this.database.write(RETRY_ONE, [name, event])).rowCount!;
    await this.database.write(WAKE, [name]);
    return count;
  }

  /** @returns whether there was such an event */
  async drop(name: string, event: string): Promise<boolean> {
    return (await this.database.write(DROP, [name, event])).rowCount! > 0;
  }

  /** Has the bookings since an instant sent again. @param since milliseconds since 1970 @returns whether it is known */
  async replay(name: string, since: number): Promise<boolean> {
    const first = since.toString(16).padStart(12, '0').padEnd(32, '0');
    return (await this.database.write(REPLAY_SINCE, [name, first])).rowCount === 1;
  }

  /** @returns how many undelivered events it had; undefined if a service that runs has it in its file */
  async forget(name: string): Promise<number | undefined> {
    await this.database.write(FORGET, [name]);
    if ((await this.database.run(IS_KNOWN, [name])).rowCount === 1) return undefined;
    return this.repeat(FORGET_EVENTS, [name]);
  }

  private async repeat(statement: typeof RETRY, values: unknown[]): Promise<number> {
    for (let total = 0; ;) {
      const count = (await this.database.write(statement, values)).rowCount!;
      total += count;
      if (count < BATCH) return total;
    }
  }
}
