import type { Socket } from 'node:net';
import type { Client, QueryResult } from 'pg';
import type { Moment } from '../moment.js';
import { keepsSession } from './postgres-errors.js';
import { END_TIMEOUT, type SessionSettings } from './session.js';
import type { Statement } from './statement.js';

/**
 * The function of PostgreSQL that sends a notice when a commit gives up waiting for a standby, as after
 * `pg_cancel_backend`. The response that follows still reports success.
 */
const STANDBY_WAIT = 'SyncRepWaitForLSN';
const UNCONFIRMED = 'the wait for a standby was cancelled';

export interface ConnectionSettings extends SessionSettings {
  /** Maximum unanswered statements on one connection. The server runs them even if their callers have left. */
  readonly maxUnanswered: number;
  /** Whether an abandoned statement, then the only one, holds its connection until its response, or until it is closed. */
  readonly holdsAbandoned: boolean;
}

/** A statement whose caller waits for a response. */
export class PendingStatement {
  /** The connection on which the statement was sent; undefined while it waits for one. */
  connection: Connection | undefined;
  /** Whether its caller has left without a response. */
  isAbandoned = false;
  private readonly timeout: NodeJS.Timeout;

  /**
   * @param latest the moment by which the statement has to end: the earlier the request, the earlier
   * @param timedOut called at that moment, unless the statement is settled before
   */
  constructor(
    readonly statement: Statement,
    readonly values: unknown[],
    readonly latest: Moment,
    private readonly resolve: (result: QueryResult) => void,
    private readonly reject: (error: Error) => void,
    timedOut: (pending: PendingStatement) => void,
  ) {
    this.timeout = setTimeout(() => timedOut(this), Math.max(0, latest - performance.now()));
  }

  succeed(result: QueryResult): void {
    clearTimeout(this.timeout);
    this.resolve(result);
  }

  fail(error: Error): void {
    clearTimeout(this.timeout);
    this.reject(error);
  }
}

/** What a connection tells its pool. */
interface Events {
  /** Called after each response. */
  readonly responded: () => void;
  readonly ended: () => void;
}

/**
 * An open connection that sends statements without waiting for earlier responses
 * (https://node-postgres.com/features/pipelining). Each statement is a transaction of its own; the server runs them in
 * order, each within its time limit.
 *
 *     open ──> draining: somebody waits for a response ──> held: the server may still run an abandoned one ──> closed
 */
export class Connection {
  private state: 'open' | 'draining' | 'held' | 'closed' = 'open';
  /** Statements that have no response yet. */
  private readonly pending = new Set<PendingStatement>();
  /** Whether a commit did not wait for its standby, so that its response proves nothing. */
  private isUnconfirmed = false;
  /** When the last response came. */
  usedAt = performance.now();
  /** When a statement was abandoned last. */
  private abandonedAt: Moment = Infinity;

  /** @param socket that of the client: destroying it ends the connection at any point */
  constructor(
    private readonly client: Client,
    private readonly socket: Socket,
    private readonly settings: ConnectionSettings,
    private readonly events: Events,
  ) {
    client.on('notice', ({ routine }) => {
      if (routine === STANDBY_WAIT) this.isUnconfirmed = true;
    });
    client.on('error', () => this.retire());
    client.once('end', events.ended);
  }

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

  /** When the statement was abandoned that alone holds the connection; undefined if none does. */
  get heldSince(): Moment | undefined {
    return this.state === 'held' ? this.abandonedAt : undefined;
  }

  send(pending: PendingStatement): void {
    this.pending.add(pending);
    pending.connection = this;
    this.cork();
    this.query(pending).then(
      (result) => this.answer(pending, result, this.isUnconfirmed ? new Error(UNCONFIRMED) : undefined),
      (error: Error) => this.answer(pending, undefined, error),
    );
  }

  /** Retires the connection, since the caller of this statement has left while the server may still run it. */
  abandon(pending: PendingStatement): void {
    pending.isAbandoned = true;
    this.abandonedAt = performance.now();
    this.retire();
  }

  close(): void {
    if (!this.isIdle) return this.destroy();
    this.state = 'closed';
    void this.client.end();
    // A server that is gone would keep the connection's place for minutes.
    setTimeout(() => this.socket.destroy(), END_TIMEOUT).unref();
  }

  private query({ statement, values }: PendingStatement): Promise<QueryResult> {
    // A statement without a name is one packet and one transaction, which a pooler keeps in one session.
    if (this.settings.isPooled) return this.client.query(statement.text, values);
    return this.client.query(statement, values);
  }

  /**
   * Sends the statements of one turn of the event loop in one packet, since each packet costs a tenth of a get's CPU
   * time (2026-11-26).
   */
  private cork(): void {
    // With TLS, the stream is not the socket.
    const { stream } = this.client.connection;
    if (stream.writableCorked > 0) return;
    stream.cork();
    setImmediate(() => stream.uncork());
  }

  private answer(pending: PendingStatement, result: QueryResult | undefined, error: Error | undefined): void {
    this.pending.delete(pending);
    if (error === undefined) pending.succeed(result!);
    else pending.fail(error);
    if (!this.isOpen || (error !== undefined && !keepsSession(error))) this.retire();
    this.usedAt = performance.now();
    this.events.responded();
  }

  /**
   * Sends no further statement. After most errors, the session may have lost its prepared statements; after a time limit
   * of the service, the server may hang, or still run the statement.
   */
  private retire(): void {
    const { holdsAbandoned } = this.settings;
    if (this.state === 'closed') return;
    if (this.has(({ isAbandoned }) => !isAbandoned)) this.state = 'draining';
    else if (holdsAbandoned && this.unanswered > 0) this.state = 'held';
    else this.destroy();
  }

  private destroy(): void {
    this.state = 'closed';
    this.socket.destroy();
  }

  private has(filter: (pending: PendingStatement) => boolean): boolean {
    for (const each of this.pending) if (filter(each)) return true;
    return false;
  }
}
