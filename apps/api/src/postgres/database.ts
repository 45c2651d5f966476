import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Pool, type QueryResult, type QueryResultRow } from 'pg';
import { StoreUnavailable } from '../bookings/booking.errors.js';
import { RETRY_AFTER_SECONDS } from '../expected-error.js';
import { isLoginRefused, isRetryable, isUnavailable } from './postgres-errors.js';
import { checkDurability, checkSchema, migrate, SchemaMismatch } from './schema.js';
import { inTransaction } from './transaction.js';

export interface DatabaseSettings {
  readonly url: string;
  /** Connections that this process opens, at most. */
  readonly poolSize: number;
  /** Milliseconds to wait for a connection, and for a free one of the pool. */
  readonly connectTimeout: number;
  /** Milliseconds that a statement may take, its answer included. */
  readonly statementTimeout: number;
  /** Whether the schema is brought up to date at start; else it is only looked at. */
  readonly migrateAtStart: boolean;
}

export interface Statement {
  /** A name has the server keep the plan, for statements that are always the same. */
  readonly name?: string;
  readonly text: string;
}

/**
 * A statement that is always the same. Its members are in the prototype: `pg` copies the object for each
 * query, and takes 2.5 µs for members of its own.
 */
export function prepared(name: string, text: string): Statement {
  return Object.create({ name, text }) as Statement;
}

/** Tries of one statement, the first included, while transactions stand in each other's way. */
const MAX_TRIES = 4;

/** Milliseconds between two looks for a database that was not there at start. */
const PREPARE_INTERVAL = 500;

/** Milliseconds that one replica waits for another that is migrating. */
export const MIGRATION_LOCK_TIMEOUT = 60_000;

/** A pool of connections that outlives its server: every fault is an error of one statement, never of the process. */
export class Database {
  private readonly pool: Pool;
  private readonly logger = new Logger('database');
  private readonly closing = new AbortController();
  private isPrepared = false;

  constructor(private readonly settings: DatabaseSettings) {
    this.pool = new Pool({
      connectionString: settings.url,
      application_name: 'booking-service',
      max: settings.poolSize,
      connectionTimeoutMillis: settings.connectTimeout,
      // The client gives up by itself: a server that hangs does not keep its own time either.
      query_timeout: settings.statementTimeout,
      statement_timeout: settings.statementTimeout,
      keepAlive: true,
    });
    // Idle and checked-out connections alike lose their server; without a listener that ends the process.
    this.pool.on('error', () => {});
    this.pool.on('connect', (client) => client.on('error', () => {}));
  }

  /** Connections that are open, those of them that nothing uses, and statements that wait for one. */
  get poolState(): { total: number; idle: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.pool;
    return { total: totalCount, idle: idleCount, waiting: waitingCount };
  }

  /** Where the database is, without the password. */
  get address(): string {
    const { host, pathname } = new URL(this.settings.url);
    return `${host}${pathname}`;
  }

  /**
   * Makes sure that the schema is the one of this service. A database that is away is waited for
   * beside everything else: until it is back, every statement is refused as unavailable.
   *
   * @throws SchemaMismatch, DatabaseError when no waiting mends it
   */
  async prepare(): Promise<void> {
    try {
      await this.prepareSchema();
    } catch (error) {
      if (isHopeless(error)) throw error;
      this.logger.warn(`The database is not there yet, trying again: ${(error as Error).message}`);
      void this.prepareWhenBack();
    }
  }

  /**
   * Runs one statement, in a transaction of its own. The pool throws away a connection whose
   * statement failed, so that no later one meets a late answer.
   *
   * @throws StoreUnavailable when the server cannot be asked; whether the statement ran is open then
   */
  async run<Row extends QueryResultRow>(statement: Statement, values: unknown[] = []): Promise<QueryResult<Row>> {
    if (!this.isPrepared) throw new StoreUnavailable('The service is waiting for its database.', RETRY_AFTER_SECONDS);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.pool.query<Row>(statement, values);
      } catch (error) {
        if (isRetryable(error) && attempt < MAX_TRIES) continue;
        if (!isUnavailable(error) && !isLoginRefused(error)) throw error;
        throw new StoreUnavailable('The service cannot reach its database.', RETRY_AFTER_SECONDS, { cause: error });
      }
    }
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.pool.end();
  }

  private async prepareSchema(): Promise<void> {
    const { url, connectTimeout, migrateAtStart } = this.settings;
    await inTransaction({ url, connectTimeout, lockTimeout: MIGRATION_LOCK_TIMEOUT }, async (client) => {
      await checkDurability(client);
      await (migrateAtStart ? migrate(client) : checkSchema(client));
    });
    this.isPrepared = true;
  }

  private async prepareWhenBack(): Promise<void> {
    while (!this.isPrepared && !this.closing.signal.aborted) {
      try {
        await sleep(PREPARE_INTERVAL, undefined, { signal: this.closing.signal });
        await this.prepareSchema();
        this.logger.warn('The database is there.');
      } catch (error) {
        // Not a reason to stop by now: other replicas may be changing the schema over.
        if (isHopeless(error)) this.logger.error(`The database cannot be used: ${(error as Error).message}`);
      }
    }
  }
}

/** Whether an error is the operator's to mend: a schema, a log-in, a privilege. */
function isHopeless(error: unknown): boolean {
  return error instanceof SchemaMismatch || !isUnavailable(error);
}
