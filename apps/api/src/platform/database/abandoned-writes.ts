import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionPool } from './pool.js';
import type { SharedPool } from './shared-pool.js';
import type { Statement } from './statement.js';

/** Milliseconds between two looks for abandoned writes. */
const INTERVAL = 1_000;

/**
 * Finds the service's long writes in all sessions: a pooler hides its own. Reads have no transaction id, and sessions that
 * wait for the network (`ClientWrite`) are done. A write that was abandoned {@link INTERVAL} ago is older than 0.8 s.
 */
const FIND_LONG_WRITE: Statement = {
  isShort: true,
  text: `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND usename = session_user AND application_name = current_setting('application_name')
      AND state = 'active' AND backend_xid IS NOT NULL AND wait_event IS DISTINCT FROM 'ClientWrite'
      AND query_start < statement_timestamp() - interval '0.8 s' LIMIT 1`,
};

/**
 * A write is abandoned when its caller has been rejected by the time limit, and the server has not responded. Its connection
 * stays in use: a commit that waits for a synchronous standby does not notice that its client has left, and a new connection
 * would add one on the server. Once the server runs no long write, the response was lost, and the connection is closed.
 */
export async function closeAbandonedWrites(
  writes: ConnectionPool,
  reads: ConnectionPool | SharedPool,
  until: AbortSignal,
): Promise<void> {
  while (!until.aborted) {
    await sleep(INTERVAL, undefined, { ref: false });
    if (!writes.hasAbandoned) continue;
    const longAgo = performance.now() - INTERVAL;
    const running = await reads.run(FIND_LONG_WRITE, [], performance.now() + INTERVAL).catch(() => undefined);
    if (running?.rowCount === 0) writes.closeAbandoned(longAgo);
  }
}
