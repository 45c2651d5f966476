import type { Database } from '../../platform/database/database.js';
import { named, type Statement } from '../../platform/database/statement.js';
import { DELETE_ORPHANS, MAX_CHANGED_ROWS } from './delivery-statements.js';

const EVENT_ID = `(type || '-' || booking_id)`;

/** An event whose latest attempt failed. Instants are milliseconds since 1970. */
export interface FailedEvent {
  readonly id: string;
  readonly since: number;
  readonly attempts: number;
  /** When the next attempt is due; null for a dead letter. */
  readonly due: number | null;
  readonly error: string;
}

/** Selects up to 100 events whose latest attempt failed, the longest-waiting first. An index has this order. */
export const FAILED = named<{ name: string }>(
  `SELECT ${EVENT_ID} AS id, extract(epoch FROM waiting_since)::float8 * 1000 AS since, attempts,
      extract(epoch FROM due)::float8 * 1000 AS due, last_error AS error
    FROM webhook_deliveries WHERE endpoint = $name AND last_error IS NOT NULL
    ORDER BY waiting_since LIMIT 100`,
);

/** Makes one failed event, or up to {@link MAX_CHANGED_ROWS} dead letters, due now. */
const RETRY = named<{ name: string; event: string | undefined }>(
  `UPDATE webhook_deliveries SET due = now(), waiting_since = now(), attempts = 0, last_error = NULL
    WHERE id = ANY (ARRAY(
      SELECT id FROM webhook_deliveries WHERE endpoint = $name
        AND CASE WHEN $event::text IS NULL THEN due IS NULL ELSE ${EVENT_ID} = $event AND last_error IS NOT NULL END
      LIMIT ${MAX_CHANGED_ROWS}
    ))`,
);

/** Makes up to {@link MAX_CHANGED_ROWS} failed events due now. */
const HASTEN = named<{ name: string }>(
  `UPDATE webhook_deliveries SET due = now()
    WHERE id = ANY (ARRAY(
      SELECT id FROM webhook_deliveries WHERE endpoint = $name AND last_error IS NOT NULL AND due > now()
      LIMIT ${MAX_CHANGED_ROWS}
    ))`,
);

/** Ends an endpoint's pause, even after a 410. */
const END_PAUSE = named<{ name: string }>(
  'UPDATE webhook_endpoints SET due = now(), ended_url = NULL WHERE name = $name',
);

const DROP = named<{ name: string; event: string }>(
  `DELETE FROM webhook_deliveries WHERE endpoint = $name AND ${EVENT_ID} = $event`,
);

const FORGET = named<{ name: string }>('DELETE FROM webhook_endpoints WHERE name = $name');

export class DeliveryOperations {
  constructor(private readonly database: Database) {}

  /** @returns up to 100 events whose latest attempt failed, the longest-waiting first */
  async failed(name: string): Promise<FailedEvent[]> {
    return (await this.database.read<FailedEvent>(...FAILED.with({ name }))).rows;
  }

  /**
   * Makes one failed event due, or all of them, and ends the endpoint's pause unless there is no such event.
   *
   * @returns the number of events that start over: the given one, or the dead letters
   */
  async retry(name: string, event?: string): Promise<number> {
    const count = await this.whileFull(...RETRY.with({ name, event }));
    if (event !== undefined && count === 0) return 0;
    if (event === undefined) await this.whileFull(...HASTEN.with({ name }));
    await this.database.write(...END_PAUSE.with({ name }));
    return count;
  }

  async drop(name: string, event: string): Promise<boolean> {
    return (await this.database.write(...DROP.with({ name, event }))).rowCount! > 0;
  }

  /** @returns the number of deleted events, which may include events of other forgotten endpoints */
  async forget(name: string): Promise<number> {
    await this.database.write(...FORGET.with({ name }));
    const deletion = DELETE_ORPHANS.with({ lockTimeout: this.database.lockTimeout });
    let total = 0;
    let count: number;
    // Creates under way may record further events.
    do {
      count = (await this.database.write(...deletion)).rowCount!;
      total += count;
    } while (count > 0);
    return total;
  }

  /** Runs a statement again while it changes as many rows as it may. @returns how many it changed in all */
  private async whileFull(statement: Statement, values: unknown[]): Promise<number> {
    let total = 0;
    let count: number;
    do {
      count = (await this.database.write(statement, values)).rowCount!;
      total += count;
    } while (count === MAX_CHANGED_ROWS);
    return total;
  }
}
