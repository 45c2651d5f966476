import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { driverFault, encryptionOf, onWriter, takesSessionParameters } from './connection.js';
import { Hosts } from './hosts.js';
import { ConnectionPool } from './pool.js';
import { isUnavailable, SchemaMismatch } from './postgres-errors.js';
import { prepareSchema, type SchemaSettings } from './schema.js';
import { hasSettings } from './session-settings.js';
import { Standbys } from './standbys.js';

export const DATABASE_SETTINGS = Symbol('database settings');

export interface DatabaseSettings extends SchemaSettings {
  /** Connections that this process opens, at most; 2 or more. */
  readonly poolSize: number;
  /** Standbys that gets are tried on first; none by default. */
  readonly readUrl?: string | undefined;
  /** Whether the schema is brought up to date at start, or only checked. */
  readonly migrateAtStart: boolean;
}

/** Milliseconds between two attempts to reach a database that was unavailable at start. */
const PREPARE_INTERVAL = 500;

const SETTINGS_ARE_LOST =
  'a transaction pooler does not keep the settings in `options` of DATABASE_URL. Set them with ALTER ROLE … SET.';

/** Connections for writes, at most: creates that queue up share a statement. */
const MAX_WRITERS = 4;

export interface Pools {
  readonly reads: ConnectionPool;
  /** Separate, so that reads go on while writes wait for a synchronous standby. */
  readonly writes: ConnectionPool;
  /** To servers that may lag. */
  readonly standbys: Standbys | undefined;
}

/** The pools of a database. They are opened once its schema is up to date. */
export class DatabasePools {
  /** Undefined until they are opened. */
  opened: Pools | undefined;
  /** Why they are not open. */
  fault: unknown;
  private readonly hosts: Hosts;
  /** See {@link PoolSettings.isPooled}. */
  private isPooled = false;
  private readonly logger = new Logger('database');
  private readonly closing = new AbortController();

  constructor(private readonly settings: DatabaseSettings) {
    this.hosts = new Hosts(settings.url);
  }

  /** Where the database and its standbys are, without the password, and whether the way there is encrypted. */
  get description(): string {
    const { url, readUrl } = this.settings;
    const standbys = readUrl === undefined ? '' : `, standbys at ${describe(readUrl)}`;
    return `PostgreSQL at ${describe(url)}${standbys}`;
  }

  /** Connections for writes: statements that write at once, at most. */
  get writers(): number {
    return Math.min(MAX_WRITERS, Math.floor(this.settings.poolSize / 2));
  }

  /** Open connections, idle ones among them, and statements that wait for one. */
  get state(): { total: number; idle: number; waiting: number } {
    if (this.opened === undefined) return { total: 0, idle: 0, waiting: 0 };
    const { total, idle, waiting } = this.opened.reads.state;
    const writes = this.opened.writes.state;
    return { total: total + writes.total, idle: idle + writes.idle, waiting: waiting + writes.waiting };
  }

  /**
   * Opens them; in the background, if the database is away.
   *
   * @throws SchemaMismatch, DatabaseError, Error of the connection string, if waiting cannot help
   */
  async open(): Promise<void> {
    for (const url of [this.settings.url, this.settings.readUrl]) {
      const fault = url === undefined ? undefined : driverFault(new Hosts(url).url);
      if (fault !== undefined)
        throw new Error(`The connection string cannot be used: ${fault.message}`, { cause: fault });
    }
    try {
      await this.tryToOpen();
    } catch (error) {
      if (isFatal(error)) throw error;
      this.fault = error;
      void this.openWhenBack();
    }
  }

  /** Uses no prepared statements from now on. */
  onPreparedStatementMissing(): void {
    if (this.isPooled) return;
    this.logger.warn('A prepared statement is missing: a transaction pooler was detected.');
    this.isPooled = true;
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
      this.isPooled = !(await takesSessionParameters(settings));
      if (this.isPooled && hasSettings(url)) throw new SchemaMismatch(SETTINGS_ARE_LOST);
      const newer = await prepareSchema(settings, this.settings.migrateAtStart);
      if (newer.length > 0) this.logger.warn(`The schema is newer than this version: it has ${newer.join(', ')}.`);
    });
    if (this.isPooled) this.logger.log('A transaction pooler was detected: each transaction sets its own time limits.');
    if (!this.closing.signal.aborted) this.opened = this.create();
  }

  private create(): Pools {
    const { settings, hosts, writers } = this;
    const isPooled = (): boolean => this.isPooled;
    const size = settings.poolSize - writers;
    const reads = new ConnectionPool(hosts, { ...settings, isPooled, size });
    const writes = new ConnectionPool(hosts, { ...settings, isPooled, size: writers }, reads);
    const { readUrl } = settings;
    const standbys = readUrl === undefined ? undefined : new Standbys(readUrl, { ...settings, isPooled, size });
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
        // No reason to stop once the service runs: other replicas may be changing the schema.
        if (isFatal(error) && messageOf(error) !== messageOf(this.fault)) {
          this.logger.error(`The database cannot be used: ${messageOf(error)}`);
        }
        this.fault = error;
      }
    }
  }
}

function describe(url: string): string {
  const hosts = new Hosts(url);
  return `${hosts.address} (${encryptionOf(hosts.url)})`;
}

function messageOf(error: unknown): string {
  return (error as Error).message;
}

/** Whether only the operator can help: the schema, a login, a privilege. */
function isFatal(error: unknown): boolean {
  return error instanceof SchemaMismatch || !isUnavailable(error);
}
