import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryResult, QueryResultRow } from 'pg';
import type { Moment } from '../moment.js';
import { Connection, type PendingStatement, type PoolSettings } from './connection.js';
import { StatementTimeout } from './postgres-errors.js';
import type { Statement } from './statement.js';

/** Milliseconds after which a failed attempt to open a connection may be repeated, while other connections exist. */
const OPEN_INTERVAL = 500;

/**
 * Connections for statements of which some are short. Of several, the newest that is open takes only short ones, so that
 * they do not wait behind long ones; a single connection takes both. While connections are busy, another is opened in
 * the background: no statement waits for it that an open connection may take.
 */
export class Pool {
  /** In the order of opening, without the one that is being opened. */
  private readonly connections = new Set<Connection>();
  private opening: Connection | undefined;
  private readonly waitingShort: PendingStatement[] = [];
  private readonly waitingLong: PendingStatement[] = [];
  private isClosed = false;

  constructor(private readonly settings: PoolSettings) {}

  get state(): { total: number; idle: number; waiting: number } {
    const total = this.connections.size;
    const waiting = this.waitingShort.length + this.waitingLong.length;
    return { total, idle: this.count(({ isIdle }) => isIdle), waiting };
  }

  get isInUse(): boolean {
    return this.count(({ unanswered }) => unanswered > 0) > 0;
  }

  get hasAbandoned(): boolean {
    return this.count(({ abandonedAt }) => abandonedAt !== undefined) > 0;
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

  /** Closes the connections of statements that were abandoned before a given moment. */
  closeAbandoned(before: Moment): void {
    for (const connection of this.connections) {
      if ((connection.abandonedAt ?? before) < before) connection.close();
    }
  }

  close(): void {
    this.isClosed = true;
    this.rejectWaiting(new Error('The service stops.'));
    this.opening?.close();
    for (const connection of this.connections) connection.close();
  }

  private sendWaiting(): void {
    this.sendFrom(this.waitingShort);
    this.sendFrom(this.waitingLong);
  }

  private sendFrom(queue: PendingStatement[]): void {
    while (queue.length > 0) {
      const connection = this.choose(queue[0]!.statement);
      if (connection === undefined || connection.unanswered > 0) this.openAnother();
      if (connection === undefined) return;
      connection.send(queue.shift()!);
    }
  }

  /** @returns the least used connection that may take the statement; undefined if the statement has to wait */
  private choose({ isShort }: Statement): Connection | undefined {
    let newest: Connection | undefined;
    let chosen: Connection | undefined;
    for (const each of this.connections) if (each.isOpen) newest = each;
    const isSingle = this.count(({ isOpen, isHeld }) => isOpen || isHeld) === 1;
    for (const each of this.connections) {
      const mayTake = isShort ? each === newest || each.unansweredLong === 0 : each !== newest || isSingle;
      if (mayTake && each.hasRoom && (chosen === undefined || each.unanswered < chosen.unanswered)) chosen = each;
    }
    return chosen;
  }

  private openAnother(): void {
    if (this.opening !== undefined || this.isClosed || this.connections.size >= this.settings.size) return;
    this.opening = new Connection(this.settings);
    void this.open(this.opening);
  }

  private async open(connection: Connection): Promise<void> {
    const ended = (): void => {
      this.connections.delete(connection);
      this.sendWaiting();
    };
    const unused = () => this.closeUnused(connection);
    try {
      await connection.open({ responded: () => this.sendWaiting(), ended, unused });
      this.connections.add(connection);
    } catch (error) {
      if (this.count(({ isOpen }) => isOpen) === 0) this.rejectWaiting(error as Error);
      else await sleep(OPEN_INTERVAL, undefined, { ref: false });
    }
    this.opening = undefined;
    this.sendWaiting();
  }

  /** Keeps an idle connection: the server may refuse new ones at any time. */
  private closeUnused(connection: Connection): void {
    if (connection.isIdle && this.count(({ isIdle }) => isIdle) > 1) connection.close();
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

  private count(filter: (connection: Connection) => boolean): number {
    let count = 0;
    for (const connection of this.connections) if (filter(connection)) count++;
    return count;
  }
}
