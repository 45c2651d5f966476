import { type ClientBase, Pool, type PoolClient, type QueryResult, type QueryResultRow } from 'pg';
import { CheckedClient, type ConnectionSettings, withSessionSettings } from './connection.js';
import { DatabaseUnavailable, StatementTimeout } from './postgres-errors.js';
import type { Statement } from './statement.js';

export interface PoolSettings extends ConnectionSettings {
  /** Connections, at most. */
  readonly size: number;
  /** Whether a pooler shares sessions between its clients, so that no setting or prepared statement of one lasts. */
  readonly isPooled: boolean;
  /**
   * Whether a connection stays taken until the server has responded, however long ago the caller gave up: a commit that
   * waits for a synchronous standby does not notice, and a replacement would be one more connection on the server.
   */
  readonly keepsLate: boolean;
}

/** Connections to the primary. */
export class ConnectionPool {
  private readonly pool: Pool;
  /** Connections whose statement has no response yet. */
  private readonly taken = new Set<PoolClient>();
  /** Taken connections whose caller gave up, and when, as an instant of `performance.now()`. */
  private readonly late = new Map<PoolClient, number>();

  constructor(private readonly settings: PoolSettings) {
    const { url, size, connectTimeout, isPooled } = settings;
    // The pool waits for it, which its types do not say.
    const onConnect = (client: ClientBase): unknown => expectPrimary(client, connectTimeout);
    this.pool = new Pool({
      Client: CheckedClient as unknown as new () => ClientBase,
      connectionString: isPooled ? url : withSessionSettings(settings),
      application_name: 'booking-service',
      max: size,
      connectionTimeoutMillis: connectTimeout,
      keepAlive: true,
      onConnect,
    });
    // Idle and checked-out connections alike lose their server; without a listener that ends the process.
    this.pool.on('error', () => {});
    this.pool.on('connect', (client: PoolClient) => client.on('error', () => {}));
  }

  get state(): { total: number; idle: number; waiting: number } {
    const { totalCount: total, idleCount: idle, waitingCount: waiting } = this.pool;
    return { total, idle, waiting };
  }

  /** Whether there are connections whose callers gave up. */
  get hasLate(): boolean {
    return this.late.size > 0;
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
    // A statement without a name is one packet and one transaction, which every pooler keeps in one session.
    const responding = isPooled ? client.query<Row>(statement.text, values) : client.query<Row>(statement, values);
    // A connection whose statement failed is closed, so that no later statement gets its response.
    responding.then(
      () => this.giveBack(client),
      (error: Error) => this.giveBack(client, error),
    );
    return before(deadline, responding, () => this.giveUp(client));
  }

  /** Closes those whose callers gave up before an instant of `performance.now()`. */
  closeLate(before: number): void {
    for (const [client, since] of this.late) {
      if (since < before) this.giveBack(client, new Error('the response was lost'));
    }
  }

  async close(): Promise<void> {
    for (const client of this.taken) this.giveBack(client, new Error('The service stops.'));
    await this.pool.end();
  }

  private connect(latest: number): Promise<PoolClient> {
    const connecting = this.pool.connect();
    // The pool itself has the time limit.
    if (performance.now() + this.settings.connectTimeout <= latest) return connecting;
    return before(latest, connecting, () => {
      connecting.then((client) => client.release()).catch(() => {});
      return new Error('connection timeout');
    });
  }

  /** The server has not responded in time. */
  private giveUp(client: PoolClient): Error {
    const error = new StatementTimeout('statement timeout');
    if (this.settings.keepsLate) this.late.set(client, performance.now());
    else this.giveBack(client, error);
    return error;
  }

  private giveBack(client: PoolClient, error?: Error): void {
    this.late.delete(client);
    if (this.taken.delete(client)) client.release(error);
  }
}

/** @throws DatabaseUnavailable on a standby, which may lack what was acknowledged */
async function expectPrimary(client: ClientBase, timeout: number): Promise<void> {
  const looking = client.query<{ isStandby: boolean }>('SELECT pg_is_in_recovery() AS "isStandby"');
  const { rows } = await before(performance.now() + timeout, looking, () => new Error('connection timeout'));
  if (rows[0]!.isStandby) throw new DatabaseUnavailable('The server is a standby.');
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
