import { Inject, Injectable } from '@nestjs/common';
import type { QueryResult, QueryResultRow } from 'pg';
import { DATABASE_SETTINGS, DatabasePools, type DatabaseSettings, type Pools } from './database-pools.js';
import {
  DatabaseUnavailable,
  isAccessDenied,
  isPreparedStatementMissing,
  isRetryable,
  isUnavailable,
} from './postgres-errors.js';
import type { Statement } from './statement.js';

/** Attempts of one statement that fails because of concurrent transactions. */
const MAX_ATTEMPTS = 4;

/** The connections to PostgreSQL. They outlive their server: a database fault fails the statement, never the process. */
@Injectable()
export class Database {
  private readonly pools: DatabasePools;

  constructor(@Inject(DATABASE_SETTINGS) private readonly settings: DatabaseSettings) {
    this.pools = new DatabasePools(settings);
  }

  /** Connections that are open, those of them that nothing uses, how many may be, and statements that wait for one. */
  get poolState(): { total: number; idle: number; waiting: number; max: number } {
    return { ...this.pools.state, max: this.settings.poolSize };
  }

  /** Connections for writes: statements that write at once, at most. */
  get writers(): number {
    return this.pools.writers;
  }

  /** Milliseconds that a statement waits for a connection, at most. */
  get acquireTimeout(): number {
    return this.settings.connectTimeout;
  }

  /** Milliseconds that a create waits for another transaction that holds its slot or its key, at most. */
  get lockTimeout(): number {
    return Math.ceil(this.settings.statementTimeout / 10);
  }

  /** Where the database and its standbys are, without the password, and whether the way there is encrypted. */
  get description(): string {
    return this.pools.description;
  }

  /**
   * Brings the schema up to date and opens the connections. Where the database is away, that goes on in the
   * background: until it is back, every statement is rejected as unavailable.
   *
   * @throws SchemaMismatch, DatabaseError if waiting cannot help
   */
  prepare(): Promise<void> {
    return this.pools.open();
  }

  /**
   * Runs one statement, in its own transaction, on the connections for reads.
   *
   * @param requestedAt instant of `performance.now()` from which on the time limits run: earlier than now if the caller
   *   queued the statement, or if it is not the first of a request
   * @throws DatabaseUnavailable if no server responds; the statement may have run nevertheless
   */
  run<Row extends QueryResultRow>(
    statement: Statement,
    values: unknown[] = [],
    requestedAt = performance.now(),
  ): Promise<QueryResult<Row>> {
    return this.retrying(({ reads }) => reads.run<Row>(statement, values, requestedAt));
  }

  /** The same for a statement that waits for the disk, or for a synchronous standby. */
  write<Row extends QueryResultRow>(
    statement: Statement,
    values: unknown[] = [],
    requestedAt = performance.now(),
  ): Promise<QueryResult<Row>> {
    return this.retrying(({ writes }) => writes.run<Row>(statement, values, requestedAt));
  }

  /**
   * Rows of a statement on a standby, which may lag: a row may be missing that the primary has. None if no standby
   * responds in time; undefined if there is none.
   */
  queryStandby<Row extends QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]> | undefined {
    return this.pools.opened?.standbys?.query<Row>(statement, values);
  }

  close(): Promise<void> {
    return this.pools.close();
  }

  private async retrying<Result>(send: (pools: Pools) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      const { opened, fault } = this.pools;
      if (opened === undefined) {
        throw new DatabaseUnavailable('The service is waiting for its database.', { cause: fault });
      }
      try {
        return await send(opened);
      } catch (error) {
        if (isPreparedStatementMissing(error)) this.pools.onPreparedStatementMissing();
        if ((isPreparedStatementMissing(error) || isRetryable(error)) && attempt < MAX_ATTEMPTS) continue;
        if (!isUnavailable(error) && !isAccessDenied(error)) throw error;
        throw new DatabaseUnavailable('The service cannot reach its database.', { cause: error });
      }
    }
  }
}
