import { Socket } from 'node:net';
import { Client, type QueryResult } from 'pg';
import type { Moment } from '../moment.js';
import { type ConnectionSettings, expectPrimary, KEEP_ALIVE_DELAY, withSessionSettings } from './session.js';
import type { Statement } from './statement.js';

/** Milliseconds after which an idle connection may be closed. */
const IDLE_TIMEOUT = 10_000;

/**
 * The function of PostgreSQL that sends a notice when a commit gives up waiting for a standby, as after
 * `pg_cancel_backend`. The response that follows still reports success.
 */
const STANDBY_WAIT = 'SyncRepWaitForLSN';

export interface PoolSettings extends ConnectionSettings {
  /** Maximum connections. */
  readonly size: number;
  /** Maximum unanswered statements on one connection. The server runs them even if their callers have left. */
  readonly maxUnanswered: number;
  /** Whether a pooler shares sessions between clients, so that no setting or prepared statement lasts. */
  readonly isPooled: boolean;
  /** Whether the connection of an abandoned statement stays until its response, or until `closeAbandoned`. */
  readonly keepsAbandoned: boolean;
}

export interface PendingStatement {
  readonly statement: Statement;
  readonly values: unknown[];
  readonly resolve: (result: QueryResult) => void;
  readonly reject: (error: Error) => void;
  /** The moment by which the statement has to end: the earlier the request, the earlier. */
  readonly latest: Moment;
  readonly timeout: NodeJS.Timeout;
  /** The connection on which the statement was sent; undefined while it waits for one. */
  connection?: Connection;
  isAbandoned?: boolean;
}

/** What a connection that was opened tells its pool. */
interface Events {
  /** Called after each response. */
  readonly responded: () => void;
  readonly ended: () => void;
  /** Called when the connection has been idle for a while, again and again. */
  readonly unused: () => void;
}

/**
 * A connection that sends statements without waiting for earlier responses
 * (https://node-postgres.com/features/pipelining). Each statement is a transaction of its own; the server runs them in
 * order, each within its time limit.
 *
 *     opening ──> open ──> retired (on an error or an abandoned statement) ──> closed, once nobody waits for responses
 */
export class Connection {
  private state: 'opening' | 'open' | 'retired' = 'opening';
  /** Statements that have no response yet. */
  unanswered = 0;
  /** Statements that may take long and have no response yet. */
  unansweredLong = 0;
  /** When the last caller left without a response. */
  abandonedAt: Moment | undefined;
  /** Statements that have no response yet, and whose callers no longer wait. */
  private abandoned = 0;
  /** Whether a commit did not wait for its standby, so that its response proves nothing. */
  private isUnconfirmed = false;
  private client: Client | undefined;
  private readonly socket = new Socket();
  private idleTimer: NodeJS.Timeout | undefined;
  private responded = (): void => {};

  constructor(private readonly settings: PoolSettings) {}

  get isOpen(): boolean {
    return this.state === 'open';
  }

  get isIdle(): boolean {
    return this.isOpen && this.unanswered === 0;
  }

  /** Whether an abandoned statement keeps the connection. */
  get isHeld(): boolean {
    return this.settings.keepsAbandoned && this.abandoned > 0;
  }

  get hasRoom(): boolean {
    return this.isOpen && this.unanswered < this.settings.maxUnanswered;
  }

  async open({ responded, ended, unused }: Events): Promise<void> {
    const giveUp = () => this.socket.destroy(new Error('connection timeout'));
    const timeout = setTimeout(giveUp, this.settings.connectTimeout);
    try {
      this.client = this.createClient();
      await this.client.connect();
      await expectPrimary(this.client);
    } catch (error) {
      this.socket.destroy();
      throw error;
    } finally {
      clearTimeout(timeout);
    }
    this.state = 'open';
    this.responded = responded;
    this.idleTimer = setInterval(unused, IDLE_TIMEOUT).unref();
    this.client.once('end', () => {
      clearInterval(this.idleTimer);
      ended();
    });
  }

  send(request: PendingStatement): void {
    this.unanswered++;
    if (!request.statement.isShort) this.unansweredLong++;
    request.connection = this;
    this.cork();
    this.query(request).then(
      (result) => this.receive(request, () => this.confirm(request, result)),
      (error: Error) => {
        this.retire();
        this.receive(request, () => request.reject(error));
      },
    );
  }

  /** Retires the connection, since the caller of this statement has left while the server may still run it. */
  abandon(request: PendingStatement): void {
    request.isAbandoned = true;
    this.abandoned++;
    this.abandonedAt = performance.now();
    this.retire();
  }

  close(): void {
    const { isIdle } = this;
    this.state = 'retired';
    if (isIdle) void this.client!.end();
    else this.socket.destroy();
  }

  private query({ statement, values }: PendingStatement): Promise<QueryResult> {
    // A statement without a name is one packet and one transaction, which a pooler keeps in one session.
    if (this.settings.isPooled) return this.client!.query(statement.text, values);
    return this.client!.query(statement, values);
  }

  /**
   * Sends the statements of one turn of the event loop in one packet, since each packet costs a tenth of a get's CPU
   * time (2026-11-26).
   */
  private cork(): void {
    if (this.socket.writableCorked > 0) return;
    this.socket.cork();
    setImmediate(() => this.socket.uncork());
  }

  private createClient(): Client {
    const { settings } = this;
    const client = new Client({
      connectionString: settings.isPooled ? settings.url : withSessionSettings(settings),
      application_name: 'booking-service',
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY,
      pipeline: true,
      stream: () => this.socket,
    });
    client.on('notice', ({ routine }) => {
      if (routine === STANDBY_WAIT) this.isUnconfirmed = true;
    });
    // The error of a lost connection would end the process if nothing listened.
    return client.on('error', () => this.retire());
  }

  private confirm({ resolve, reject }: PendingStatement, result: QueryResult): void {
    if (!this.isUnconfirmed) return resolve(result);
    this.state = 'retired';
    reject(new Error('the wait for a standby was cancelled'));
  }

  private receive(request: PendingStatement, settle: () => void): void {
    this.unanswered--;
    if (!request.statement.isShort) this.unansweredLong--;
    if (request.isAbandoned) this.abandoned--;
    clearTimeout(request.timeout);
    settle();
    if (this.state === 'retired') this.retire();
    if (this.unanswered === 0) this.idleTimer?.refresh();
    this.responded();
  }

  /**
   * Sends no further statement, and closes once nobody waits for a response. After an error, the session may have lost
   * its prepared statements; after a time limit, the server may hang, or still run the statement.
   */
  private retire(): void {
    this.state = 'retired';
    if (this.unanswered === this.abandoned && !this.isHeld) this.socket.destroy();
  }
}
