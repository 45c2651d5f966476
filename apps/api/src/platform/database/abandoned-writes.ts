import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryResult } from 'pg';
import type { Pool } from './pool.js';
import { prepared, type Statement } from './statement.js';

/** Milliseconds between two checks for abandoned writes. */
const INTERVAL = 1_000;

/**
 * Finds a long-running write of the service in any session, since a pooler hides which sessions serve this process.
 * Reads have no transaction id, and a session that waits for the network (`ClientWrite`) has finished its write.
 * Long is 0.8 s, which is less than {@link INTERVAL}: a write that was abandoned so long ago is found while it runs.
 */
const FIND_LONG_WRITE = prepared(
  `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND usename = session_user
      AND application_name = current_setting('application_name')
      AND state = 'active' AND backend_xid IS NOT NULL AND wait_event IS DISTINCT FROM 'ClientWrite'
      AND query_start < statement_timestamp() - interval '0.8 s' LIMIT 1`,
  { isShort: true },
);

/**
 * Closes the connections of abandoned writes. A write is abandoned when its time limit ends before the server responds.
 * Its connection stays in use while the server may still run the write: a commit that waits for a synchronous standby
 * does not notice that its client has left, and a new connection would be one more on the server. Once the server runs
 * no long write, the response must have been lost.
 */
export async function closeAbandonedWrites(
  writes: Pool,
  read: (statement: Statement) => Promise<QueryResult>,
  until: AbortSignal,
): Promise<void> {
  while (!until.aborted) {
    await sleep(INTERVAL, undefined, { ref: false });
    const held = writes.heldBefore(performance.now() - INTERVAL);
    if (held.length === 0) continue;
    const running = await read(FIND_LONG_WRITE).catch(() => undefined);
    if (running?.rowCount === 0) for (const each of held) each.close();
  }
}
