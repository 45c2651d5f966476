import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { QueryResult, QueryResultRow } from 'pg';
import { onWriter, takesSessionParameters } from './connection.js';
import { Hosts } from './hosts.js';
import { ConnectionPool } from './pool.js';
import { DatabaseUnavailable, isNameLost, isRetryable, isShutOut, isUnavailable } from './postgres-errors.js';
import { prepareSchema, SchemaMismatch, type SchemaSettings } from './schema.js';
import { Standbys } from './standbys.js';
import type { Statement } from './statement.js';

export interface DatabaseSettings extends SchemaSettings {
  /** Connections that this process opens, at most; 2 or more. */
  readonly poolSize: number;
  /** Standbys that gets are tried on first; none where it is not set. */
  readonly readUrl?: string | undefined;
  /** Whether the schema is brought up to date at start; else it is only looked at. */
  readonly migrateAtStart: boolean;
}

/** Tries of one statement, the first included, while transactions stand in each other's way. */
const MAX_TRIES = 4;

/** Milliseconds between two looks for a database that was not there at start. */
const PREPARE_INTERVAL = 500;

/** Connections for writes, at most: creates go together where they wait. */
const MAX_WRITERS = 4;

interface Pools {
  readonly reads: ConnectionPool;
  /** Of their own, so that reads go on while writes wait for a synchronous standby. */
  readonly writes: ConnectionPool;
  /** To servers that may be behind. */
  readonly standbys: Standbys | undefined;
}

/** Connections that outlive their server: every fault is an error of one statement, never of the process. */
export class Database {
  /** Undefined until the schema is known to be the one of this service. */
  private pools: Pools | undefined;
  private readonly hosts: Hosts;
  /** Whether sessions are this process's own: time limits of the session hold, and so do prepared statements. */
  private hasSessions = true;
  /** Why it cannot be used, until it can. */
  private openFault: unknown;
  private readonly logger = new Logger('database');
  private readonly closing = new AbortController();
  /** How many statements are held back before they ask for a connection. */
  private heldBack = (): number => 0;

  constructor(private readonly settings: DatabaseSettings) {
    this.hosts = new Hosts(settings.url);
  }

  /** Connections that are open, those of them that nothing uses, how many may be, and statements that wait for one. */
  get poolState(): { total: number; idle: number; waiting: number; max: number } {
    const max = this.settings.poolSize;
    const heldBack = this.heldBack();
    if (this.pools === undefined) return { total: 0, idle: 0, waiting: heldBack, max };
    const { total, idle, waiting } = this.pools.reads.state;
    const writes = this.pools.writes.state;
    return { total: total + writes.total, idle: idle + writes.idle, waiting: waiting + writes.waiting + heldBack, max };
  }

  /** @param count says how many statements its caller holds back; they count as waiting */
  countHeldBack(count: () => number): void {
    this.heldBack = count;
  }

  /** Connections for writes: statements that write at once, at most. */
  get writers(): number {
    return Math.min(MAX_WRITERS, Math.floor(this.settings.poolSize / 2));
  }

  /** Milliseconds that a statement waits for a connection, at most. */
  get patience(): number {
    return this.settings.connectTimeout;
  }

  /** Where the database is, without the password. */
  get address(): string {
    return this.hosts.address;
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
   * Rows of a statement on a standby, where there is one and it responds soon. They may be old: what is missing says
   * nothing, while a row that never changes is what it is everywhere.
   */
  async glance<Row extends QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]> {
    return (await this.pools?.standbys?.glance<Row>(statement, values)) ?? [];
  }

  async close(): Promise<void> {
    this.closing.abort();
    const { reads, writes, standbys } = this.pools ?? {};
    await standbys?.close();
    await writes?.close();
    await reads?.close();
  }

  private async retrying<Result>(send: (pools: Pools) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      const { pools } = this;
      if (pools === undefined) {
        throw new DatabaseUnavailable('The service is waiting for its database.', { cause: this.openFault });
      }
      try {
        return await send(pools);
      } catch (error) {
        if (isNameLost(error) && this.hasSessions) {
          this.logger.warn('Prepared statements are lost between transactions: the database is taken for a pooler.');
          this.hasSessions = false;
        }
        if ((isNameLost(error) || isRetryable(error)) && attempt < MAX_TRIES) continue;
        if (!isUnavailable(error) && !isShutOut(error)) throw error;
        throw new DatabaseUnavailable('The service cannot reach its database.', { cause: error });
      }
    }
  }

  private async open(): Promise<void> {
    await onWriter(this.hosts, async (url) => {
      const settings = { ...this.settings, url };
      await prepareSchema(settings, this.settings.migrateAtStart);
      this.hasSessions = await takesSessionParameters(settings);
    });
    if (!this.hasSessions) this.logger.log('The database is behind a pooler: time limits go with each transaction.');
    if (!this.closing.signal.aborted) this.pools = this.createPools();
  }

  private createPools(): Pools {
    const { settings, hosts, writers } = this;
    const hasSessions = (): boolean => this.hasSessions;
    const size = settings.poolSize - writers;
    const reads = new ConnectionPool(hosts, { ...settings, hasSessions, size });
    const writes = new ConnectionPool(hosts, { ...settings, hasSessions, size: writers }, reads);
    const { readUrl } = settings;
    const standbys = readUrl === undefined ? undefined : new Standbys(readUrl, { ...settings, hasSessions, size });
    return { reads, writes, standbys };
  }

  private async openWhenBack(): Promise<void> {
    const { signal } = this.closing;
    while (this.pools === undefined && !signal.aborted) {
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
