import { Inject, Injectable } from '@nestjs/common';
import type { QueryResult, QueryResultRow } from 'pg';
import { DATABASE_SETTINGS, DatabasePools, type DatabaseSettings, type Pools } from './database-pools.js';
import { DatabaseUnavailable, isNameLost, isRetryable, isShutOut, isUnavailable } from './postgres-errors.js';
import type { Statement } from './statement.js';

/** Tries of one statement, the first included, while transactions stand in each other's way. */
const MAX_TRIES = 4;

/** Connections that outlive their server: every fault is an error of one statement, never of the process. */
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
  get patience(): number {
    return this.settings.connectTimeout;
  }

  /** Where the database is, without the password. */
  get address(): string {
    return this.pools.address;
  }

  /**
   * Makes sure that the schema is the one of this service. A database that is away is waited for
   * beside everything else: until it is back, every statement is rejected as unavailable.
   *
   * @throws SchemaMismatch, DatabaseError when no waiting mends it
   */
  prepare(): Promise<void> {
    return this.pools.open();
  }

  /**
   * Runs one statement, in a transaction of its own, on the connections for reads.
   *
   * @throws DatabaseUnavailable when the server cannot be asked; whether the statement ran is open then
   */
  run<Row extends QueryResultRow>(statement: Statement, values: unknown[] = []): Promise<QueryResult<Row>> {
    return this.retrying(({ reads }) => reads.run<Row>(statement, values));
  }

  /**
   * The same for a statement that waits for the disk, or for a synchronous standby.
   *
   * @param asked instant of `performance.now()`, where its caller held the statement back before
   */
  write<Row extends QueryResultRow>(
    statement: Statement,
    values: unknown[] = [],
    asked = performance.now(),
  ): Promise<QueryResult<Row>> {
    return this.retrying(({ writes }) => writes.run<Row>(statement, values, asked));
  }

  /**
   * Rows of a statement on a standby that responds soon; undefined where there is no standby. They may be old: what is
   * missing says nothing, while a row that never changes is what it is everywhere.
   */
  glance<Row extends QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]> | undefined {
    return this.pools.opened?.standbys?.glance<Row>(statement, values);
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
        if (isNameLost(error)) this.pools.nameLost();
        if ((isNameLost(error) || isRetryable(error)) && attempt < MAX_TRIES) continue;
        if (!isUnavailable(error) && !isShutOut(error)) throw error;
        throw new DatabaseUnavailable('The service cannot reach its database.', { cause: error });
      }
    }
  }
}
