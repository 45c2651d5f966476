import { type ClientBase, Pool, type PoolClient, type QueryResult, type QueryResultRow } from 'pg';
import type { Moment } from '../moment.js';
import {
  CheckedClient,
  type ConnectionSettings,
  expectPrimary,
  withDeadline,
  withSessionSettings,
} from './connection.js';
import { StatementTimeout } from './postgres-errors.js';
import type { Statement } from './statement.js';

export interface PoolSettings extends ConnectionSettings {
  readonly size: number;
  /** Whether a pooler shares sessions between clients, so that no setting or prepared statement lasts. */
  readonly isPooled: boolean;
  /** An abandoned write keeps its connection in use until a response, or until `closeAbandoned`. */
  readonly isForWrites: boolean;
}

/**
 * The function of PostgreSQL that sends a notice when a commit gives up waiting for a standby, as after
 * `pg_cancel_backend`. The response that follows still reports success.
 */
const STANDBY_WAIT = 'SyncRepWaitForLSN';

export class ConnectionPool {
  private readonly pool: Pool;
  /** Connections that are not idle. */
  private readonly inUse = new Set<PoolClient>();
  /** Connections in use by an abandoned statement, each with the moment when it was abandoned. */
  private readonly abandoned = new Map<PoolClient, Moment>();

  constructor(private readonly settings: PoolSettings) {
    const { url, size, connectTimeout, isPooled } = settings;
    // The pool awaits the returned promise, although its types do not say so.
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
    // The error of a lost connection would end the process if nothing listened.
    this.pool.on('error', () => {});
    this.pool.on('connect', (client: PoolClient) => client.on('error', () => {}));
    this.pool.on('connect', (client: PoolClient) => {
      client.on('notice', ({ routine }) => {
        if (routine === STANDBY_WAIT) this.release(client, new Error('the wait for a standby was cancelled'));
      });
    });
    this.pool.on('acquire', (client: PoolClient) => this.inUse.add(client));
    // Node would otherwise warn of a leak: each statement that waits for a connection adds a listener.
    this.pool.setMaxListeners(0);
  }

  get state(): { total: number; idle: number; waiting: number } {
    const { totalCount: total, idleCount: idle, waitingCount: waiting } = this.pool;
    return { total, idle, waiting };
  }

  get isInUse(): boolean {
    return this.inUse.size > 0;
  }

  get hasAbandoned(): boolean {
    return this.abandoned.size > 0;
  }

  /** @param latest the moment by which the statement has to end, even if the server hangs */
  async run<Row extends QueryResultRow>(
    statement: Statement,
    values: unknown[],
    latest: Moment,
  ): Promise<QueryResult<Row>> {
    const { statementTimeout, isPooled } = this.settings;
    const client = await this.connect(latest);
    const deadline = Math.min(performance.now() + statementTimeout, latest);
    // A statement without a name is one packet and one transaction, which a pooler keeps in one session.
    const responding = isPooled ? client.query<Row>(statement.text, values) : client.query<Row>(statement, values);
    const settled = responding.then(
      (result) => {
        if (!this.inUse.has(client)) throw new Error('the connection was closed before its response');
        this.release(client);
        return result;
      },
      // The connection is closed after an error, so that no later statement gets the response to this one.
      (error: Error) => {
        this.release(client, error);
        throw error;
      },
    );
    return withDeadline(deadline, settled, () => this.abandon(client));
  }

  /** Closes the connections of statements that were abandoned before a given moment. */
  closeAbandoned(before: Moment): void {
    for (const [client, since] of this.abandoned) {
      if (since < before) this.release(client, new Error('the response was lost'));
    }
  }

  async close(): Promise<void> {
    for (const client of this.inUse) this.release(client, new Error('The service stops.'));
    await this.pool.end();
  }

  /**
   * Takes whichever connection is free first, an open one or a new one. While any connection is open, a server that
   * refuses new ones makes the statement wait, and fails it only at the time limit.
   */
  private async connect(latest: Moment): Promise<PoolClient> {
    const deadline = Math.min(latest, performance.now() + this.settings.connectTimeout);
    for (;;) {
      while (this.needsAnother) await this.openAnother(deadline);
      try {
        return await this.acquire(latest);
      } catch (error) {
        if (!this.hasOpen || performance.now() >= deadline) throw error;
      }
    }
  }

  private get hasOpen(): boolean {
    return this.inUse.size + this.pool.idleCount > 0;
  }

  private get needsAnother(): boolean {
    const { total, idle, waiting } = this.state;
    return this.hasOpen && idle <= waiting && total < this.settings.size;
  }

  /** Opens a connection, and resolves as soon as this or a busy connection is free. */
  private async openAnother(deadline: Moment): Promise<void> {
    let fault = new Error('connection timeout');
    const released = new Promise<void>((resolve) => this.pool.once('release', () => resolve()));
    this.pool.connect().then(
      (client) => this.release(client),
      (error: Error) => (fault = error),
    );
    await withDeadline(deadline, released, () => fault);
  }

  private acquire(latest: Moment): Promise<PoolClient> {
    const connecting = this.pool.connect();
    // If the pool's own time limit ends first, no further one is needed.
    if (performance.now() + this.settings.connectTimeout <= latest) return connecting;
    return withDeadline(latest, connecting, () => {
      connecting.then((client) => this.release(client)).catch(() => {});
      return new Error('connection timeout');
    });
  }

  private abandon(client: PoolClient): Error {
    const error = new StatementTimeout('statement timeout');
    if (this.settings.isForWrites) this.abandoned.set(client, performance.now());
    else this.release(client, error);
    return error;
  }

  private release(client: PoolClient, error?: Error): void {
    this.abandoned.delete(client);
    if (this.inUse.delete(client)) client.release(error);
  }
}
