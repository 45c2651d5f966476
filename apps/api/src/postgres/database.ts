import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Pool, type PoolClient, type QueryResult, type QueryResultRow } from 'pg';
import { beginLimited, type ConnectionSettings, takesTimeLimit } from './connection.js';
import { DatabaseUnavailable, isNameLost, isRetryable, isShutOut, isUnavailable } from './postgres-errors.js';
import { prepareSchema, SchemaMismatch } from './schema.js';

export interface DatabaseSettings extends ConnectionSettings {
  /** Connections that this process opens, at most. */
  readonly poolSize: number;
  /** Whether the schema is brought up to date at start; else it is only looked at. */
  readonly migrateAtStart: boolean;
}

export interface Statement {
  /** A name has the server keep the plan, for statements that are always the same. */
  readonly name?: string;
  readonly text: string;
}

/**
 * A statement that is always the same. The name goes with the text, so that no session can have another statement
 * under it, of another version of the service.
 *
 * Its members are in the prototype: `pg` 8.23 copies the object for each query, which takes 4.4 µs with members of
 * its own, and 0.4 µs so.
 */
export function prepared(text: string): Statement {
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 16);
  return Object.create({ name, text }) as Statement;
}

/** Tries of one statement, the first included, while transactions stand in each other's way. */
const MAX_TRIES = 4;

/** Milliseconds between two looks for a database that was not there at start. */
const PREPARE_INTERVAL = 500;

/** A pool of connections that outlives its server: every fault is an error of one statement, never of the process. */
export class Database {
  /** Undefined until the schema is known to be the one of this service. */
  private pool: Pool | undefined;
  /** Whether sessions are this process's own: time limits of the session hold, and so do prepared statements. */
  private hasSessions = true;
  /** Why it cannot be used, until it can. */
  private openFault: unknown;
  private readonly logger = new Logger('database');
  private readonly closing = new AbortController();

  constructor(private readonly settings: DatabaseSettings) {}

  /** Connections that are open, those of them that nothing uses, how many may be, and statements that wait for one. */
  get poolState(): { total: number; idle: number; waiting: number; max: number } {
    const { totalCount = 0, idleCount = 0, waitingCount = 0 } = this.pool ?? {};
    return { total: totalCount, idle: idleCount, waiting: waitingCount, max: this.settings.poolSize };
  }

  /** Milliseconds that a statement waits for a connection, at most. */
  get patience(): number {
    return this.settings.connectTimeout;
  }

  /** Where the database is, without the password. */
  get address(): string {
    const { host, pathname } = new URL(this.settings.url);
    return `${host}${pathname}`;
  }

  /**
   * Makes sure that the schema is the one of this service. A database that is away is waited for
   * beside everything else: until it is back, every statement is rejected as unavailable.
   *
   * @throws SchemaMismatch, DatabaseError when no waiting mends it
   */
  async prepare(): Promise<void> {
    try {
      await this.open();
    } catch (error) {
      if (isHopeless(error)) throw error;
      this.openFault = error;
      void this.openWhenBack();
    }
  }

  /**
   * Runs one statement, in a transaction of its own. The pool throws away a connection whose
   * statement failed, so that no later one meets a late response.
   *
   * @throws DatabaseUnavailable when the server cannot be asked; whether the statement ran is open then
   */
  async run<Row extends QueryResultRow>(statement: Statement, values: unknown[] = []): Promise<QueryResult<Row>> {
    const { pool } = this;
    if (pool === undefined) {
      throw new DatabaseUnavailable('The service is waiting for its database.', { cause: this.openFault });
    }
    for (let attempt = 1; ; attempt++) {
      try {
        return this.hasSessions
          ? await pool.query<Row>(statement, values)
          : await this.runLimited<Row>(pool, statement.text, values);
      } catch (error) {
        if (isNameLost(error) && this.hasSessions) {
          this.logger.warn('Prepared statements are lost between transactions: the database is taken for a pooler.');
          this.hasSessions = false;
          continue;
        }
        if (isRetryable(error) && attempt < MAX_TRIES) continue;
        if (!isUnavailable(error) && !isShutOut(error)) throw error;
        throw new DatabaseUnavailable('The service cannot reach its database.', { cause: error });
      }
    }
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.pool?.end();
  }

  /** Through a pooler: the time limit goes with each transaction, and nothing is left in a session. */
  private async runLimited<Row extends QueryResultRow>(
    pool: Pool,
    text: string,
    values: unknown[],
  ): Promise<QueryResult<Row>> {
    const deadline = performance.now() + this.settings.statementTimeout;
    const client = await pool.connect();
    const send = (command: string, parameters?: unknown[]): Promise<QueryResult<Row>> => {
      const query = { text: command, query_timeout: Math.max(1, deadline - performance.now()) };
      return client.query<Row>(query, parameters);
    };
    try {
      await send(beginLimited(this.settings.statementTimeout));
      const result = await send(text, values);
      await send('COMMIT');
      client.release();
      return result;
    } catch (error) {
      client.release(error as Error);
      throw error;
    }
  }

  private async open(): Promise<void> {
    await prepareSchema(this.settings, this.settings.migrateAtStart);
    this.hasSessions = await takesTimeLimit(this.settings);
    if (!this.hasSessions) this.logger.log('The database is behind a pooler: time limits go with each transaction.');
    if (!this.closing.signal.aborted) this.pool = this.createPool();
  }

  private createPool(): Pool {
    const { url, poolSize, connectTimeout, statementTimeout } = this.settings;
    const pool = new Pool({
      connectionString: url,
      application_name: 'booking-service',
      max: poolSize,
      connectionTimeoutMillis: connectTimeout,
      // The client gives up by itself: a server that hangs does not keep its own time either.
      query_timeout: statementTimeout,
      keepAlive: true,
      ...(this.hasSessions && { statement_timeout: statementTimeout }),
    });
    // Idle and checked-out connections alike lose their server; without a listener that ends the process.
    pool.on('error', () => {});
    pool.on('connect', (client: PoolClient) => client.on('error', () => {}));
    return pool;
  }

  private async openWhenBack(): Promise<void> {
    const { signal } = this.closing;
    while (this.pool === undefined && !signal.aborted) {
      try {
        await sleep(PREPARE_INTERVAL, undefined, { signal });
        await this.open();
      } catch (error) {
        if (signal.aborted) return;
        // Not a reason to stop by now: other replicas may be changing the schema over.
        if (isHopeless(error) && messageOf(error) !== messageOf(this.openFault)) {
          this.logger.error(`The database cannot be used: ${messageOf(error)}`);
        }
        this.openFault = error;
      }
    }
  }
}

function messageOf(error: unknown): string {
  return (error as Error).message;
}

/** Whether an error is the operator's to mend: a schema, a log-in, a privilege. */
function isHopeless(error: unknown): boolean {
  return error instanceof SchemaMismatch || !isUnavailable(error);
}
