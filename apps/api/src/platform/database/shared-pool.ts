import type { QueryResult, QueryResultRow } from 'pg';
import type { Moment } from '../moment.js';
import type { ConnectionSettings } from './connection.js';
import { StatementTimeout } from './postgres-errors.js';
import { type PendingStatement, SharedConnection } from './shared-connection.js';
import type { Statement } from './statement.js';

/** Milliseconds after which a failed attempt to open a connection may be repeated, while other connections exist. */
const OPEN_INTERVAL = 500;

export interface SharedPoolSettings extends ConnectionSettings {
  /** Maximum connections. */
  readonly size: number;
}

/**
 * Connections that statements share. One of several is kept free of statements that may take long, so that a short
 * statement does not wait behind a long one; a single connection takes both kinds.
 */
export class SharedPool {
  private readonly connections = new Set<SharedConnection>();
  /** How many attempts to open a further connection have failed in the last {@link OPEN_INTERVAL} milliseconds. */
  private refused = 0;
  private readonly waitingShort: PendingStatement[] = [];
  private readonly waitingLong: PendingStatement[] = [];
  private isClosed = false;

  constructor(private readonly settings: SharedPoolSettings) {}

  get state(): { total: number; idle: number; waiting: number } {
    const open = [...this.connections].filter(({ state }) => state !== 'opening');
    const idle = open.filter(({ unanswered }) => unanswered === 0);
    const waiting = this.waitingShort.length + this.waitingLong.length;
    return { total: open.length, idle: idle.length, waiting };
  }

  /** @param latest the moment by which the statement has to end, even if the server hangs */
  run<Row extends QueryResultRow>(statement: Statement, values: unknown[], latest: Moment): Promise<QueryResult<Row>> {
    return new Promise((resolve, reject) => {
      if (this.isClosed) throw new Error('The service stops.');
      const timeout = setTimeout(() => this.timeOut(request), Math.max(0, latest - performance.now()));
      const request: PendingStatement = { statement, values, resolve, reject, latest, timeout };
      this.enqueue(request);
      this.sendWaiting();
    });
  }

  close(): void {
    this.isClosed = true;
    this.rejectWaiting(new Error('The service stops.'));
    for (const connection of this.connections) connection.close();
  }

  private sendWaiting(): void {
    if (this.needsAnother()) void this.open();
    for (const queue of [this.waitingShort, this.waitingLong]) {
      while (queue.length > 0) {
        const connection = this.choose(queue[0]!);
        if (connection === undefined) break;
        connection.send(queue.shift()!);
      }
    }
  }

  /** @returns the least used connection that may take the statement; undefined if the statement has to wait */
  private choose({ statement }: PendingStatement): SharedConnection | undefined {
    const open = [...this.connections].filter(({ state }) => state === 'open');
    if (open.length === 1) return leastUsed(open);
    const withoutLong = open.filter(({ unansweredLong }) => unansweredLong === 0);
    if (statement.isShort) return leastUsed(withoutLong);
    if (withoutLong.length > 1) return leastUsed(open);
    // One connection takes no more long statements, even if others that had none have closed.
    return leastUsed(open.filter(({ unansweredLong }) => unansweredLong > 0).slice(0, open.length - 1));
  }

  /** Whether a connection may be opened, and is needed: the first for a waiting statement, others once all are busy. */
  private needsAnother(): boolean {
    if (this.isClosed || this.connections.size + this.refused >= this.settings.size) return false;
    const { total, waiting } = this.state;
    const isWanted = total > 0 || waiting > 0;
    return isWanted && [...this.connections].every(({ unanswered }) => unanswered > 0);
  }

  private async open(): Promise<void> {
    const connection = new SharedConnection(this.settings, () => this.sendWaiting());
    this.connections.add(connection);
    try {
      await connection.open(() => this.connections.delete(connection));
    } catch (error) {
      this.connections.delete(connection);
      if (this.connections.size === 0) this.rejectWaiting(error as Error);
      else this.countRefusal();
    }
    this.sendWaiting();
  }

  private countRefusal(): void {
    this.refused++;
    setTimeout(() => this.refused--, OPEN_INTERVAL).unref();
  }

  private timeOut(request: PendingStatement): void {
    if (request.connection !== undefined) {
      request.reject(new StatementTimeout('statement timeout'));
      return request.connection.abandon(request);
    }
    const queue = this.queueOf(request);
    queue.splice(queue.indexOf(request), 1);
    request.reject(new Error('connection timeout'));
  }

  /** The second statement of a request comes before the first ones of later requests, or none might end in time. */
  private enqueue(request: PendingStatement): void {
    const queue = this.queueOf(request);
    const last = queue.findLastIndex(({ latest }) => latest <= request.latest);
    queue.splice(last + 1, 0, request);
  }

  private queueOf({ statement }: PendingStatement): PendingStatement[] {
    return statement.isShort ? this.waitingShort : this.waitingLong;
  }

  private rejectWaiting(error: Error): void {
    for (const { timeout, reject } of [...this.waitingShort.splice(0), ...this.waitingLong.splice(0)]) {
      clearTimeout(timeout);
      reject(error);
    }
  }
}

function leastUsed(connections: SharedConnection[]): SharedConnection | undefined {
  const withRoom = connections.filter(({ hasRoom }) => hasRoom);
  return withRoom.toSorted((one, other) => one.unanswered - other.unanswered)[0];
}
