import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { QueryResult, QueryResultRow } from 'pg';
import type { Moment } from '../moment.js';
import { closeAbandonedWrites } from './abandoned-writes.js';
import { prepareSchema, type SchemaSettings } from './migrations.js';
import type { PoolState } from './pool.js';
import { Pools, sharesOf } from './pools.js';
import { DatabaseUnavailable, isDatabaseFault, isFatal, isRetryable } from './postgres-errors.js';
import { driverFault, isPooled } from './session.js';
import { prepared, type Statement } from './statement.js';

export interface DatabaseSettings extends SchemaSettings {
  /** Maximum connections of this process; 2 or more. */
  readonly poolSize: number;
  /** Whether the service applies migrations when it starts, rather than only checking for them. */
  readonly migrateAtStart: boolean;
}

/** Maximum attempts at a statement that fails with a retryable error, such as a deadlock. */
const MAX_ATTEMPTS = 4;

/** Maximum milliseconds that the start waits for a migration; then requests get a 503 until the migration is done. */
const START_LIMIT = 10_000;

/** Milliseconds between two attempts to open the pools. */
const PREPARE_INTERVAL = 500;

/** Not short: it asks for a connection as a create does. */
const ASK_FOR_READ_ONLY = prepared(`SELECT current_setting('transaction_read_only') = 'on' AS "isReadOnly"`);

/** Runs statements on PostgreSQL. Its faults reject statements, but end the process only at the start. */
export class Database {
  private pools: Pools | undefined;
  /** Why there are no pools yet. */
  private fault: unknown;
  private readonly logger = new Logger('database');
  private readonly closing = new AbortController();

  constructor(private readonly settings: DatabaseSettings) {}

  get poolState(): PoolState & { readonly max: number } {
    const { total = 0, idle = 0, waiting = 0 } = this.pools?.state ?? {};
    return { total, idle, waiting, max: this.settings.poolSize };
  }

  /** Maximum writes at once that wait for their commits. */
  get maxLongWrites(): number {
    return sharesOf(this.settings.poolSize).longWrites;
  }

  /** Milliseconds that a create may wait before it asks for a connection. */
  get connectTimeout(): number {
    return this.settings.connectTimeout;
  }

  /**
   * Maximum milliseconds that a create waits for a lock of another transaction; other creates may wait in the same
   * statement. The service's own transactions take a few milliseconds, but a person may leave one open for minutes.
   */
  get lockTimeout(): number {
    return Math.ceil(this.settings.statementTimeout / 10);
  }

  /** The address of the database, without user and password. */
  get description(): string {
    const { hostname, port, pathname, searchParams } = new URL(this.settings.url);
    const host = searchParams.get('host') ?? hostname;
    const at = searchParams.get('port') ?? port;
    return `PostgreSQL at ${host}${at && `:${at}`}${pathname}`;
  }

  /**
   * Prepares the schema and opens the pools, in the background if the database is unavailable or a migration takes
   * long. Until the pools are open, every statement is rejected as unavailable.
   *
   * @throws SchemaMismatch, DatabaseError, or Error for a bad connection string, if waiting cannot help
   */
  async prepare(): Promise<void> {
    const cause = driverFault(this.settings.url);
    if (cause !== undefined) throw new Error(`The connection string cannot be used: ${cause.message}`, { cause });
    let isStarting = true;
    const opening = this.open().catch((error: unknown) => {
      if (isStarting && isFatal(error)) throw error;
      void this.openWhenBack(error);
    });
    await Promise.race([opening, sleep(START_LIMIT, undefined, { ref: false })]);
    isStarting = false;
  }

  /**
   * Reads in one statement, its own transaction, on a connection that other reads share.
   *
   * @param requestedAt when the time limits begin; default: now
   * @throws DatabaseUnavailable if the database is at fault; the statement may still have run
   */
  read<Row extends QueryResultRow>(statement: Statement, values?: unknown[], requestedAt?: Moment) {
    return this.send<Row>('reads', statement, values, requestedAt);
  }

  /** Runs a statement that may wait for locks, the disk or a synchronous standby. */
  write<Row extends QueryResultRow>(statement: Statement, values?: unknown[], requestedAt?: Moment) {
    return this.send<Row>('writes', statement, values, requestedAt);
  }

  /** @returns a sentence for each fault that prevents writes or breaks a promise @throws DatabaseUnavailable */
  findFaults(): Promise<string[]> {
    return this.settings.schema.findFaults((statement) => this.read(statement));
  }

  /**
   * Makes sure that a connection for writes is open: the server may refuse new ones at any time. A write in progress
   * is proof enough, even while it waits for a standby.
   *
   * @throws DatabaseUnavailable if no write can be sent, or the session is read-only
   */
  async checkWrites(): Promise<void> {
    if (this.pools?.writes.isInUse === true) return;
    const { rows } = await this.write<{ isReadOnly: boolean }>(ASK_FOR_READ_ONLY);
    if (rows[0]!.isReadOnly) throw new DatabaseUnavailable('The session for writes is read-only.');
  }

  close(): void {
    this.closing.abort();
    this.pools?.close();
  }

  private async send<Row extends QueryResultRow>(
    pool: 'reads' | 'writes',
    statement: Statement,
    values: unknown[] = [],
    requestedAt: Moment = performance.now(),
  ): Promise<QueryResult<Row>> {
    const { connectTimeout, statementTimeout } = this.settings;
    const latest = requestedAt + connectTimeout + statementTimeout;
    for (let attempt = 1; ; attempt++) {
      if (this.pools === undefined) {
        throw new DatabaseUnavailable('The service is waiting for its database.', { cause: this.fault });
      }
      try {
        // Nobody waits for the statement any more once its time limit is over.
        if (performance.now() >= latest) throw new Error('connection timeout');
        return await this.pools[pool].run<Row>(statement, values, latest);
      } catch (error) {
        if (isRetryable(error) && attempt < MAX_ATTEMPTS) continue;
        if (!isDatabaseFault(error)) throw error;
        throw new DatabaseUnavailable('The service cannot use its database now.', { cause: error });
      }
    }
  }

  private async open(): Promise<void> {
    const { settings, logger } = this;
    const pooled = await isPooled(settings);
    const warnings = await prepareSchema(settings, settings.migrateAtStart);
    for (const warning of warnings) logger.warn(`The database can be used, but ${warning}`);
    if (pooled) logger.log('A transaction pooler was detected: the time limits on the server are those of the role.');
    if (this.closing.signal.aborted) return;
    this.pools = new Pools({ ...settings, isPooled: pooled });
    void closeAbandonedWrites(this.pools.writes, (statement) => this.read(statement), this.closing.signal);
  }

  /** Retries `open` until it succeeds or the service stops, whatever the fault: replicas may change the schema. */
  private async openWhenBack(firstFault: unknown): Promise<void> {
    const { signal } = this.closing;
    let fault = firstFault;
    while (!signal.aborted) {
      const { message } = fault as Error;
      const isNew = message !== (this.fault as Error | undefined)?.message;
      if (isNew && isFatal(fault)) this.logger.error(`The database cannot be used: ${message}`);
      this.fault = fault;
      try {
        await sleep(PREPARE_INTERVAL, undefined, { signal });
        return await this.open();
      } catch (error) {
        fault = error;
      }
    }
  }
}
