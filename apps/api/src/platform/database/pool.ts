import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryResult, QueryResultRow } from 'pg';
import type { Moment } from '../moment.js';
import { Connection, type ConnectionSettings, PendingStatement } from './connection.js';
import { StatementTimeout } from './postgres-errors.js';
import { openSession } from './session.js';
import type { Statement } from './statement.js';
import { WaitingStatements } from './waiting-statements.js';

/** Milliseconds between two searches for idle connections, and since the last response of one that is closed. */
const IDLE_TIMEOUT = 10_000;

/** Milliseconds after which a failed attempt to open a connection may be repeated, while other connections exist. */
const OPEN_INTERVAL = 500;

export interface PoolSettings extends ConnectionSettings {
  /** Maximum connections. */
  readonly size: number;
}

/** Numbers of connections, and of statements that wait for one. */
export interface PoolState {
  readonly total: number;
  readonly idle: number;
  readonly waiting: number;
}

/**
 * Connections for statements of which some are short. Of several, the newest that is open takes only short ones, so that
 * they do not wait behind long ones; a single connection takes both. While connections are busy, another is opened in
 * the background: no statement waits for it that an open connection may take.
 */
export class Pool {
  /** In the order of opening. Retired ones keep their places until they are closed. */
  private readonly connections = new Set<Connection>();
  /** The socket of the connection that is being opened. */
  private opening: Socket | undefined;
  private readonly waiting = new WaitingStatements();
  private readonly idleTimer = setInterval(() => this.closeIdle(), IDLE_TIMEOUT).unref();
  private isClosed = false;

  constructor(private readonly settings: PoolSettings) {}

  get state(): PoolState {
    const total = this.connections.size;
    return { total, idle: this.count(({ isIdle }) => isIdle), waiting: this.waiting.size };
  }

  get isInUse(): boolean {
    return this.count(({ unanswered }) => unanswered > 0) > 0;
  }

  /** @param latest the moment by which the statement has to end, even if the server hangs */
  run<Row extends QueryResultRow>(statement: Statement, values: unknown[], latest: Moment): Promise<QueryResult<Row>> {
    return new Promise((resolve, reject) => {
      if (this.isClosed) throw new Error('The service stops.');
      const pending = new PendingStatement(statement, values, latest, resolve, reject, this.timeOut);
      this.waiting.add(pending);
      this.sendWaiting();
    });
  }

  /** The connections that statements have held since before a given moment. */
  heldBefore(moment: Moment): Connection[] {
    return [...this.connections].filter(({ heldSince = Infinity }) => heldSince < moment);
  }

  close(): void {
    this.isClosed = true;
    clearInterval(this.idleTimer);
    this.waiting.failAll(new Error('The service stops.'));
    this.opening?.destroy();
    for (const connection of this.connections) connection.close();
  }

  private sendWaiting(): void {
    const { short, long, isLongFirst } = this.waiting;
    this.sendFrom(isLongFirst ? long : short);
    this.sendFrom(isLongFirst ? short : long);
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
    let usable = 0;
    for (const each of this.connections) {
      if (each.isOpen) newest = each;
      // A held one counts: otherwise creates that wait for a standby would take the last one, and events would have none.
      if (each.isOpen || each.heldSince !== undefined) usable++;
    }
    let chosen: Connection | undefined;
    for (const each of this.connections) {
      if (!each.hasRoom) continue;
      const mayTake = isShort ? each === newest || !each.hasLong : each !== newest || usable === 1;
      if (mayTake && (chosen === undefined || each.unanswered < chosen.unanswered)) chosen = each;
    }
    return chosen;
  }

  private openAnother(): void {
    if (this.opening !== undefined || this.isClosed || this.connections.size >= this.settings.size) return;
    this.opening = new Socket();
    void this.open(this.opening);
  }

  private async open(socket: Socket): Promise<void> {
    try {
      const client = await openSession(this.settings, socket);
      const connection: Connection = new Connection(client, socket, this.settings, {
        responded: () => this.sendWaiting(),
        ended: () => {
          this.connections.delete(connection);
          this.sendWaiting();
        },
      });
      this.connections.add(connection);
    } catch (error) {
      if (this.count(({ isOpen }) => isOpen) === 0) this.waiting.failAll(error as Error);
      else await sleep(OPEN_INTERVAL, undefined, { ref: false });
    }
    this.opening = undefined;
    this.sendWaiting();
  }

  /** Keeps an idle connection for statements of each kind: the server may refuse new ones at any time. */
  private closeIdle(): void {
    const longAgo = performance.now() - IDLE_TIMEOUT;
    const idle = [...this.connections].filter(({ isIdle }) => isIdle);
    for (const each of idle.slice(2)) if (each.usedAt < longAgo) each.close();
  }

  private readonly timeOut = (pending: PendingStatement): void => {
    if (pending.connection === undefined) {
      this.waiting.remove(pending);
      return pending.fail(new Error('connection timeout'));
    }
    pending.fail(new StatementTimeout('statement timeout'));
    pending.connection.abandon(pending);
    this.sendWaiting();
  };

  private count(filter: (connection: Connection) => boolean): number {
    let count = 0;
    for (const connection of this.connections) if (filter(connection)) count++;
    return count;
  }
}
