import { formatInstant } from '@booking-service/contracts';
import type { Database } from '../../platform/database/database.js';
import { MAX_CHANGED_ROWS, named, type Statement } from '../../platform/database/statement.js';
import { DELETE_ORPHANS } from './delivery-statements.js';

const EVENT_ID = `(type || '-' || booking_id)`;

interface FailedEvent {
  readonly id: string;
  readonly since: number;
  readonly attempts: number;
  /** Milliseconds since 1970; null for a dead letter. */
  readonly due: number | null;
  readonly error: string;
}

/** Shows events whose last attempt failed, in the order of an index: the oldest, and so dead letters, come first. */
export const FAILED = named<{ name: string }>(
  `SELECT ${EVENT_ID} AS id, extract(epoch FROM waiting_since)::float8 * 1000 AS since, attempts,
      extract(epoch FROM due)::float8 * 1000 AS due, last_error AS error
    FROM webhook_deliveries WHERE endpoint = $name AND last_error IS NOT NULL
    ORDER BY waiting_since LIMIT 100`,
);

/** Makes one failed event pending, or all dead letters. */
const RETRY = named<{ name: string; event: string | undefined }>(
  `UPDATE webhook_deliveries SET due = now(), waiting_since = now(), attempts = 0, last_error = NULL
    WHERE id = ANY (ARRAY(
      SELECT id FROM webhook_deliveries WHERE endpoint = $name
        AND CASE WHEN $event::text IS NULL THEN due IS NULL ELSE ${EVENT_ID} = $event AND last_error IS NOT NULL END
      LIMIT ${MAX_CHANGED_ROWS}
    ))`,
);

/** Ends the pause of an endpoint, even after a 410. */
const END_PAUSE = named<{ name: string }>(
  'UPDATE webhook_endpoints SET due = now(), ended_url = NULL WHERE name = $name',
);

const DROP = named<{ name: string; event: string }>(
  `DELETE FROM webhook_deliveries WHERE endpoint = $name AND ${EVENT_ID} = $event`,
);

const FORGET = named<{ name: string }>('DELETE FROM webhook_endpoints WHERE name = $name');

export class DeliveryOperations {
  constructor(private readonly database: Database) {}

  /**
   * @param isUp whether the endpoint accepts events
   *
   * @returns a line for each event whose last attempt failed, at most 100
   */
  async failed(name: string, isUp: boolean): Promise<string[]> {
    const { rows } = await this.database.run<FailedEvent>(...FAILED.with({ name }));
    return rows.map((event) => lineOf(event, isUp));
  }

  /** Ends the endpoint's pause, and sends one failed event again, or all dead letters. @returns how many events */
  async retry(name: string, event?: string): Promise<number> {
    const count = await this.repeat(...RETRY.with({ name, event }));
    await this.database.write(...END_PAUSE.with({ name }));
    return count;
  }

  async drop(name: string, event: string): Promise<boolean> {
    return (await this.database.write(...DROP.with({ name, event }))).rowCount! > 0;
  }

  /** @returns the number of deleted events, which may include events of other forgotten endpoints */
  async forget(name: string): Promise<number> {
    await this.database.write(...FORGET.with({ name }));
    return this.repeat(DELETE_ORPHANS);
  }

  private async repeat(statement: Statement, values?: unknown[]): Promise<number> {
    let total = 0;
    let count: number;
    do {
      count = (await this.database.write(statement, values)).rowCount!;
      total += count;
    } while (count > 0);
    return total;
  }
}

function lineOf({ id, since, attempts, due, error }: FailedEvent, isUp: boolean): string {
  const first = `${id}  since ${formatInstant(since)}, ${counted(attempts, 'attempt')}`;
  if (due === null) return `${first}, dead letter: ${error}`;
  return `${first}, ${isUp ? `next attempt ${formatInstant(due)}` : 'waits for the endpoint'}: ${error}`;
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
