import { Socket } from 'node:net';
import { Client, type QueryResult } from 'pg';
import type { Moment } from '../moment.js';
import { type ConnectionSettings, expectPrimary, KEEP_ALIVE_DELAY, withSessionSettings } from './connection.js';
import type { Statement } from './statement.js';

/** Maximum unanswered statements on one connection. The server runs them even if their callers have left. */
const MAX_UNANSWERED = 32;

export interface PendingStatement {
  readonly statement: Statement;
  readonly values: unknown[];
  readonly resolve: (result: QueryResult) => void;
  readonly reject: (error: Error) => void;
  /** The moment by which the statement has to end: the earlier the request, the earlier. */
  readonly latest: Moment;
  readonly timeout: NodeJS.Timeout;
  /** The connection on which the statement was sent; undefined while it waits for one. */
  connection?: SharedConnection;
  isAbandoned?: boolean;
}

/**
 * A connection that sends statements without waiting for earlier responses
 * (https://node-postgres.com/features/pipelining). Each statement is a transaction of its own; the server runs them in
 * order, each within its time limit.
 *
 *     opening ──> open ──> closing (on an error or an abandoned statement) ──> closed, once nobody waits for responses
 */
export class SharedConnection {
  state: 'opening' | 'open' | 'closing' = 'opening';
  /** Statements that have no response yet. */
  unanswered = 0;
  /** Statements that may take long and have no response yet. */
  unansweredLong = 0;
  /** Statements that have no response yet, and whose callers no longer wait. */
  private abandoned = 0;
  private client: Client | undefined;
  private readonly socket = new Socket();

  /** @param changed called after each response, and when the open connection has ended */
  constructor(
    private readonly settings: ConnectionSettings,
    private readonly changed: () => void,
  ) {}

  get hasRoom(): boolean {
    return this.state === 'open' && this.unanswered < MAX_UNANSWERED;
  }

  /** @param ended called when the open connection has ended, before `changed` */
  async open(ended: () => void): Promise<void> {
    try {
      this.client = this.createClient();
      await this.client.connect();
      await expectPrimary(this.client, this.settings.connectTimeout);
    } catch (error) {
      this.socket.destroy();
      throw error;
    }
    this.state = 'open';
    this.client.once('end', () => {
      ended();
      this.changed();
    });
  }

  send(request: PendingStatement): void {
    this.unanswered++;
    if (!request.statement.isShort) this.unansweredLong++;
    request.connection = this;
    this.cork();
    this.client!.query(request.statement, request.values).then(
      (result) => this.receive(request, () => request.resolve(result)),
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
    this.retire();
  }

  close(): void {
    const isIdle = this.state === 'open' && this.unanswered === 0;
    this.state = 'closing';
    if (isIdle) void this.client!.end();
    else this.socket.destroy();
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
    const { connectTimeout: connectionTimeoutMillis } = this.settings;
    const client = new Client({
      connectionString: withSessionSettings(this.settings),
      application_name: 'booking-service',
      connectionTimeoutMillis,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY,
      pipeline: true,
      stream: () => this.socket,
    });
    // The error of a lost connection would end the process if nothing listened.
    return client.on('error', () => this.retire());
  }

  private receive(request: PendingStatement, settle: () => void): void {
    this.unanswered--;
    if (!request.statement.isShort) this.unansweredLong--;
    if (request.isAbandoned) this.abandoned--;
    clearTimeout(request.timeout);
    settle();
    if (this.state === 'closing') this.retire();
    this.changed();
  }

  /**
   * Sends no further statement, and closes once nobody waits for a response. After an error, the session may have lost
   * its prepared statements; after a time limit, the server may hang, or still run the statement.
   */
  private retire(): void {
    this.state = 'closing';
    if (this.unanswered === this.abandoned) this.socket.destroy();
  }
}
