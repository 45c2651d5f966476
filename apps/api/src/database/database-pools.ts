import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { onWriter, takesSessionParameters } from './connection.js';
import { Hosts } from './hosts.js';
import { ConnectionPool } from './pool.js';
import { isUnavailable } from './postgres-errors.js';
import { prepareSchema, SchemaMismatch, type SchemaSettings } from './schema.js';
import { Standbys } from './standbys.js';

export const DATABASE_SETTINGS = Symbol('database settings');

export interface DatabaseSettings extends SchemaSettings {
  /** Connections that this process opens, at most; 2 or more. */
  readonly poolSize: number;
  /** Standbys that gets are tried on first; none where it is not set. */
  readonly readUrl?: string | undefined;
  /** Whether the schema is brought up to date at start; else it is only looked at. */
  readonly migrateAtStart: boolean;
}

/** Milliseconds between two looks for a database that was not there at start. */
const PREPARE_INTERVAL = 500;

/** Connections for writes, at most: creates go together where they wait. */
const MAX_WRITERS = 4;

export interface Pools {
  readonly reads: ConnectionPool;
  /** Of their own, so that reads go on while writes wait for a synchronous standby. */
  readonly writes: ConnectionPool;
  /** To servers that may be behind. */
  readonly standbys: Standbys | undefined;
}

/** The pools of a database, which are opened once its schema is known to be the one of this service. */
export class DatabasePools {
  /** Undefined until they are opened. */
  opened: Pools | undefined;
  /** Why they are not, as long as that is so. */
  fault: unknown;
  private readonly hosts: Hosts;
  /** Whether sessions are this process's own: time limits of the session hold, and so do prepared statements. */
  private hasSessions = true;
  private readonly logger = new Logger('database');
  private readonly closing = new AbortController();

  constructor(private readonly settings: DatabaseSettings) {
    this.hosts = new Hosts(settings.url);
  }

  /** Where the database is, without the password. */
  get address(): string {
    return this.hosts.address;
  }

  /** Connections for writes: statements that write at once, at most. */
  get writers(): number {
    return Math.min(MAX_WRITERS, Math.floor(this.settings.poolSize / 2));
  }

  /** Connections that are open, those of them that nothing uses, and statements that wait for one. */
  get state(): { total: number; idle: number; waiting: number } {
    if (this.opened === undefined) return { total: 0, idle: 0, waiting: 0 };
    const { total, idle, waiting } = this.opened.reads.state;
    const writes = this.opened.writes.state;
    return { total: total + writes.total, idle: idle + writes.idle, waiting: waiting + writes.waiting };
  }

  /**
   * Opens them. A database that is away is waited for beside everything else.
   *
   * @throws SchemaMismatch, DatabaseError when no waiting mends it
   */
  async open(): Promise<void> {
    try {
      await this.tryToOpen();
    } catch (error) {
      if (isHopeless(error)) throw error;
      this.fault = error;
      void this.openWhenBack();
    }
  }

  /** Sends no statement by its name from now on: a name was not known to the session behind it. */
  nameLost(): void {
    if (!this.hasSessions) return;
    this.logger.warn('Prepared statements are lost between transactions: the database is taken for a pooler.');
    this.hasSessions = false;
  }

  async close(): Promise<void> {
    this.closing.abort();
    const { reads, writes, standbys } = this.opened ?? {};
    await standbys?.close();
    await writes?.close();
    await reads?.close();
  }

  private async tryToOpen(): Promise<void> {
    await onWriter(this.hosts, async (url) => {
      const settings = { ...this.settings, url };
      await prepareSchema(settings, this.settings.migrateAtStart);
      this.hasSessions = await takesSessionParameters(settings);
    });
    if (!this.hasSessions) this.logger.log('The database is behind a pooler: time limits go with each transaction.');
    if (!this.closing.signal.aborted) this.opened = this.create();
  }

  private create(): Pools {
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
    while (this.opened === undefined && !signal.aborted) {
      try {
        await sleep(PREPARE_INTERVAL, undefined, { signal });
        await this.tryToOpen();
      } catch (error) {
        if (signal.aborted) return;
        // Not a reason to stop by now: other replicas may be changing the schema over.
        if (isHopeless(error) && messageOf(error) !== messageOf(this.fault)) {
          this.logger.error(`The database cannot be used: ${messageOf(error)}`);
        }
        this.fault = error;
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
