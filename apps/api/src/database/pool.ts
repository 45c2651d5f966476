import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientBase, Pool, type PoolClient, type QueryResult, type QueryResultRow } from 'pg';
import { type ConnectionSettings, HostClient, timelineOf } from './connection.js';
import type { Hosts } from './hosts.js';
import { isConnectionLost, StatementTimeout } from './postgres-errors.js';
import { beginLimited, sessionSettings } from './session-settings.js';
import type { Statement } from './statement.js';

export interface PoolSettings extends ConnectionSettings {
  /** Connections, at most. */
  readonly size: number;
  /** Whether a transaction pooler shares sessions between its clients, so that no setting or prepared statement of one lasts. */
  readonly isPooled: () => boolean;
}

/** Milliseconds between two checks whether the server still runs statements whose callers gave up. */
const LATE_INTERVAL = 1_000;

/** Milliseconds that a statement waits until all servers are compared: one that hangs must not delay a failover for longer. */
const COMPARE_TIMEOUT = 300;

/** A role may see the activity of its own sessions. */
const STILL_RUNNING = `SELECT pid FROM pg_stat_activity WHERE pid = ANY($1::int[]) AND state = 'active'`;

/** Connections to the current host. */
export class ConnectionPool {
  private readonly pool: Pool;
  /** Connections whose statement has no response yet. */
  private readonly taken = new Set<PoolClient>();
  /** Those of them whose caller gave up. */
  private readonly late = new Set<PoolClient>();

  /**
   * @param reads makes this a pool for writes. Its connections stay taken until the server has responded, however long
   *   ago the caller gave up: a commit that waits for a synchronous standby does not notice, and a replacement
   *   would be one more connection on the server. `reads` is used to check whether the server still runs it.
   */
  constructor(
    private readonly hosts: Hosts,
    private readonly settings: PoolSettings,
    private readonly reads?: ConnectionPool,
  ) {
    const { size, connectTimeout, statementTimeout, isPooled } = settings;
    const config = {
      hosts,
      Client: HostClient as unknown as new () => ClientBase,
      application_name: 'booking-service',
      max: size,
      connectionTimeoutMillis: connectTimeout,
      keepAlive: true,
      ...((reads !== undefined || hosts.haveToBeCompared) && {
        onConnect: (client: ClientBase) => (client as unknown as HostClient).expectWriter(connectTimeout),
      }),
      settings: isPooled() ? undefined : sessionSettings(statementTimeout),
    };
    this.pool = new Pool(config);
    // Idle and checked-out connections alike lose their server; without a listener that ends the process.
    this.pool.on('error', () => {});
    this.pool.on('connect', (client: PoolClient) => client.on('error', () => {}));
  }

  get state(): { total: number; idle: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.pool;
    return { total: totalCount, idle: idleCount, waiting: waitingCount };
  }

  /**
   * Runs one statement, in its own transaction. It ends within the time limit of a connection and that of a statement
   * together, whether the server responds or not.
   *
   * @param requestedAt instant of `performance.now()` from which on these time limits run
   */
  async run<Row extends QueryResultRow>(
    statement: Statement,
    values: unknown[],
    requestedAt = performance.now(),
  ): Promise<QueryResult<Row>> {
    const { connectTimeout, statementTimeout, isPooled } = this.settings;
    const latest = requestedAt + connectTimeout + statementTimeout;
    const client = await this.connect(latest);
    const deadline = Math.min(performance.now() + statementTimeout, latest);
    this.taken.add(client);
    const responding = isPooled()
      ? this.transact<Row>(client, statement.text, values)
      : client.query<Row>(statement, values);
    // A connection whose statement failed is closed, so that no later statement gets its response.
    responding.then(
      () => this.giveBack(client),
      (error: Error) => this.giveBack(client, error),
    );
    return before(deadline, responding, () => this.giveUp(client));
  }

  async close(): Promise<void> {
    for (const client of this.taken) this.giveBack(client, new Error('The service stops.'));
    await this.pool.end();
  }

  /** Tries each host once, all within the time limit of a connection, and before `latest`. */
  private async connect(latest: number): Promise<PoolClient> {
    const timeout = performance.now() + this.settings.connectTimeout;
    // The pool itself has the time limit, for one host.
    if (this.hosts.urls.length === 1 && timeout <= latest) return this.pool.connect();
    const deadline = Math.min(timeout, latest);
    await this.hosts.compare(timelineOf, COMPARE_TIMEOUT);
    for (let left = this.hosts.urls.length; ; left--) {
      try {
        return await this.connectBefore(deadline);
      } catch (error) {
        if (left <= 1 || performance.now() >= deadline) throw error;
      }
    }
  }

  /** Closes connections to a server that was replaced. */
  private async connectBefore(deadline: number): Promise<PoolClient> {
    for (;;) {
      const connecting = this.pool.connect();
      const client = await before(deadline, connecting, () => {
        connecting.then((late) => late.release()).catch(() => {});
        return new Error('connection timeout');
      });
      if (!(client as PoolClient & HostClient).isReplaced) return client;
      client.release(true);
    }
  }

  /** The server has not responded in time. A connection for reads is closed, one for writes stays taken. */
  private giveUp(client: PoolClient): Error {
    const error = new StatementTimeout('statement timeout');
    if (this.reads === undefined) {
      this.giveBack(client, error);
    } else {
      this.late.add(client);
      if (this.late.size === 1) void this.watchLate(this.reads);
    }
    return error;
  }

  /** Through a pooler: the time limits are set in each transaction, and nothing stays in the session. */
  private async transact<Row extends QueryResultRow>(
    client: PoolClient,
    text: string,
    values: unknown[],
  ): Promise<QueryResult<Row>> {
    const begin = `${beginLimited(this.settings.statementTimeout)}; SELECT pg_backend_pid() AS backend`;
    const server = client as PoolClient & HostClient;
    server.backend = 0;
    const responses = (await client.query(begin)) as unknown as QueryResult<{ backend: number }>[];
    server.backend = responses.at(-1)!.rows[0]!.backend;
    const result = await client.query<Row>(text, values);
    await client.query('COMMIT');
    return result;
  }

  private giveBack(client: PoolClient, error?: Error): void {
    this.late.delete(client);
    if (error !== undefined && isConnectionLost(error)) this.hosts.onLost();
    if (this.taken.delete(client)) client.release(error);
  }

  /** Closes those whose statement the server does not run any more: it failed over, or the response was lost. */
  private async watchLate(reads: ConnectionPool): Promise<void> {
    while (this.late.size > 0) {
      await sleep(LATE_INTERVAL, undefined, { ref: false });
      const late = [...this.late].map((client) => client as PoolClient & HostClient);
      try {
        const { rows } = await reads.run<{ pid: number }>({ text: STILL_RUNNING }, [
          late.map(({ backend }) => backend),
        ]);
        const running = new Set(rows.map(({ pid }) => pid));
        const lost = late.filter((client) => this.late.has(client) && !running.has(client.backend));
        for (const client of lost) this.giveBack(client, new Error('the response was lost'));
      } catch {
        // Tried again.
      }
    }
  }
}

/**
 * @param deadline instant of `performance.now()`
 * @throws Error what `late` returns, which is called at the deadline if the work is not done by then
 */
async function before<Result>(deadline: number, work: Promise<Result>, late: () => Error): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), deadline - performance.now());
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
