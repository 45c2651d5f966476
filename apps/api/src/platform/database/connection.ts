import { Socket } from 'node:net';
import { Client, type QueryResult } from 'pg';
import type { Moment } from '../moment.js';
import { keepsSession } from './postgres-errors.js';
import { type ConnectionSettings, END_TIMEOUT, expectPrimary, KEEP_ALIVE, withSessionSettings } from './session.js';
import type { Statement } from './statement.js';

/** Milliseconds after which an idle connection may be closed. */
const IDLE_TIMEOUT = 10_000;

/**
 * The function of PostgreSQL that sends a notice when a commit gives up waiting for a standby, as after
 * `pg_cancel_backend`. The response that follows still reports success.
 */
const STANDBY_WAIT = 'SyncRepWaitForLSN';
const UNCONFIRMED = 'the wait for a standby was cancelled';

export interface PipelineSettings extends ConnectionSettings {
  /** Maximum unanswered statements on one connection. The server runs them even if their callers have left. */
  readonly maxUnanswered: number;
  /** Whether a pooler shares sessions between clients, so that no setting or prepared statement lasts. */
  readonly isPooled: boolean;
  /** Whether an abandoned statement holds its connection until its response, or until `closeHeld`. */
  readonly holdsAbandoned: boolean;
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
  /** When its caller left without a response. */
  abandonedAt?: Moment;
}

/** What a connection tells its pool once it is open. */
interface Events {
  /** Called after each response. */
  readonly responded: () => void;
  readonly ended: () => void;
  /** Called every ten seconds in which the connection did not become idle, also while statements run. */
  readonly unused: () => void;
}

/**
 * A connection that sends statements without waiting for earlier responses
 * (https://node-postgres.com/features/pipelining). Each statement is a transaction of its own; the server runs them in
 * order, each within its time limit.
 *
 *     opening ──> open ──> retired (an error, an abandoned statement, `close`) ──> closed, once nobody waits for a
 *                                                                                  response or, if held, it has come
 */
export class Connection {
  private state: 'opening' | 'open' | 'retired' = 'opening';
  /** Statements that have no response yet. */
  private readonly pending = new Set<PendingStatement>();
  /** Whether a commit did not wait for its standby, so that its response proves nothing. */
  private isUnconfirmed = false;
  private client: Client | undefined;
  /** Destroying it ends the connection at any point, also while a name is looked up. */
  private readonly socket = new Socket();
  private idleTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly settings: PipelineSettings,
    private readonly events: Events,
  ) {}

  get isOpen(): boolean {
    return this.state === 'open';
  }

  get isIdle(): boolean {
    return this.isOpen && this.unanswered === 0;
  }

  /** Number of statements that have no response yet. */
  get unanswered(): number {
    return this.pending.size;
  }

  /** Whether a statement that may take long has no response yet. */
  get hasLong(): boolean {
    return this.has(({ statement }) => !statement.isShort);
  }

  get hasRoom(): boolean {
    return this.isOpen && this.unanswered < this.settings.maxUnanswered;
  }

  /** @throws Error if the connection cannot be opened in time, or leads to a standby */
  async open(): Promise<void> {
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
    this.idleTimer = setInterval(this.events.unused, IDLE_TIMEOUT).unref();
    this.client.once('end', () => {
      clearInterval(this.idleTimer);
      this.events.ended();
    });
  }

  /** Whether a statement that was abandoned before a given moment holds the connection. */
  isHeld(before: Moment = Infinity): boolean {
    return this.settings.holdsAbandoned && this.has(({ abandonedAt = Infinity }) => abandonedAt < before);
  }

  send(pending: PendingStatement): void {
    this.pending.add(pending);
    pending.connection = this;
    this.cork();
    this.query(pending).then(
      (result) => this.answer(pending, this.isUnconfirmed ? new Error(UNCONFIRMED) : result),
      (error: Error) => this.answer(pending, error),
    );
  }

  /** Retires the connection, since the caller of this statement has left while the server may still run it. */
  abandon(pending: PendingStatement): void {
    pending.abandonedAt = performance.now();
    this.retire();
  }

  close(): void {
    const { isIdle } = this;
    this.state = 'retired';
    if (!isIdle) return void this.socket.destroy();
    void this.client!.end();
    // A server that is gone would keep the connection's place for minutes.
    setTimeout(() => this.socket.destroy(), END_TIMEOUT).unref();
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
    // With TLS, the stream is not the socket.
    const { stream } = this.client!.connection;
    if (stream.writableCorked > 0) return;
    stream.cork();
    setImmediate(() => stream.uncork());
  }

  private createClient(): Client {
    const { settings } = this;
    const client = new Client({
      connectionString: settings.isPooled ? settings.url : withSessionSettings(settings),
      application_name: 'booking-service',
      ...KEEP_ALIVE,
      pipeline: true,
      stream: () => this.socket,
    });
    client.on('notice', ({ routine }) => {
      if (routine === STANDBY_WAIT) this.isUnconfirmed = true;
    });
    // The error of a lost connection would end the process if nothing listened.
    return client.on('error', () => this.retire());
  }

  private answer(pending: PendingStatement, outcome: QueryResult | Error): void {
    const { resolve, reject } = pending;
    this.pending.delete(pending);
    clearTimeout(pending.timeout);
    const isError = outcome instanceof Error;
    if (isError) reject(outcome);
    else resolve(outcome);
    if (this.state === 'retired' || (isError && !keepsSession(outcome))) this.retire();
    if (this.unanswered === 0) this.idleTimer?.refresh();
    this.events.responded();
  }

  /**
   * Sends no further statement, and closes once nobody waits for a response or, if held, once it has come. After most
   * errors, the session may have lost its prepared statements; after a time limit of the service, the server may hang,
   * or still run the statement.
   */
  private retire(): void {
    this.state = 'retired';
    const isAwaited = this.has(({ abandonedAt }) => abandonedAt === undefined);
    if (!isAwaited && !this.isHeld()) this.socket.destroy();
  }

  private has(filter: (pending: PendingStatement) => boolean): boolean {
    for (const each of this.pending) if (filter(each)) return true;
    return false;
  }
}
