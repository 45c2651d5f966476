import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionOptions } from 'node:tls';
import { Client, type ClientConfig } from 'pg';
import type { Hosts } from './hosts.js';
import { DatabaseUnavailable, isParameterRejected, isUnavailable } from './postgres-errors.js';
import { beginLimited, type SessionSettings, sessionSettings, withSettings } from './session-settings.js';
import { limited } from './statement.js';

export interface ConnectionSettings {
  readonly url: string;
  /** Milliseconds to wait for a connection. */
  readonly connectTimeout: number;
  /** Milliseconds that a statement may take, its response included. */
  readonly statementTimeout: number;
}

/** Parameters that name files. The driver reads them for every connection, and would wait for the writer of a FIFO. */
const FILES = ['sslcert', 'sslkey', 'sslrootcert'];

/** Why the driver cannot take a connection string, such as a file that is gone; undefined if it can. */
export function driverFault(url: string): Error | undefined {
  try {
    const { searchParams } = new URL(url);
    for (const path of FILES.map((name) => searchParams.get(name))) {
      if (path && !statSync(path).isFile()) throw new Error(`${path} is not a regular file`);
    }
    return void new Client({ connectionString: url });
  } catch (error) {
    return error as Error;
  }
}

/** Whether connections are encrypted, and what is verified of the server. A server that cannot encrypt is refused then. */
export function encryptionOf(url: string): string {
  const ssl = new Client({ connectionString: url }).ssl as boolean | ConnectionOptions;
  if (ssl === false) return 'not encrypted';
  const { rejectUnauthorized = process.env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0', checkServerIdentity } =
    ssl === true ? {} : ssl;
  if (!rejectUnauthorized) return 'encrypted, server not verified';
  return checkServerIdentity === undefined
    ? 'encrypted, server verified'
    : 'encrypted, certificate verified without its host name';
}

/** Milliseconds in which one of several servers has to respond, to be compared with the others. */
const LOOK_TIMEOUT = 2_000;

/** Milliseconds to wait for a connection to close: a server that hangs does not respond. */
const END_TIMEOUT = 500;

/** Runs `work` on a new connection, without a time limit for a statement. What it has not committed is rolled back. */
export async function withConnection<Result>(
  { url, connectTimeout }: Pick<ConnectionSettings, 'url' | 'connectTimeout'>,
  work: (client: Client) => Promise<Result>,
  config: ClientConfig = {},
): Promise<Result> {
  const client = new Client({
    connectionString: url,
    application_name: 'booking-service-schema',
    connectionTimeoutMillis: connectTimeout,
    keepAlive: true,
    ...config,
  });
  // A lost connection fails its query too; without a listener it would also end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await Promise.race([client.end().catch(() => {}), sleep(END_TIMEOUT, undefined, { ref: false })]);
  }
}

/**
 * Does `work` on one host after the other until it succeeds; first on the one that takes writes.
 *
 * @throws Error of `work` on the last host, or the first error other than that a host is away or read-only
 */
export async function onWriter<Result>(hosts: Hosts, work: (url: string) => Promise<Result>): Promise<Result> {
  await hosts.compare(timelineOf, LOOK_TIMEOUT);
  for (let left = hosts.urls.length; ; left--) {
    const { url } = hosts;
    try {
      return await work(url);
    } catch (error) {
      hosts.moveOn(url);
      if (left <= 1 || !isUnavailable(error)) throw error;
    }
  }
}

/** Runs `work` in one transaction. Each statement has the time limit, here and on the server. */
export function inTransaction<Result>(
  settings: ConnectionSettings,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const { statementTimeout } = settings;
  const limited = async (client: Client): Promise<Result> => {
    await client.query(beginLimited(statementTimeout));
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  };
  return withConnection(settings, limited, { query_timeout: statementTimeout });
}

/**
 * Whether a new session takes its settings, as it does on a server. A transaction pooler does not take them: PgBouncer
 * rejects them, or ignores them if it is configured to.
 */
export async function takesSessionParameters(settings: ConnectionSettings): Promise<boolean> {
  const { url, statementTimeout } = settings;
  const response = withConnection(
    { ...settings, url: withSettings(url, sessionSettings(statementTimeout)) },
    (client) =>
      client.query<{ limit: string }>(`SELECT setting AS limit FROM pg_settings WHERE name = 'statement_timeout'`),
    { query_timeout: statementTimeout },
  );
  try {
    const { rows } = await response;
    return Number(rows[0]?.limit) === statementTimeout;
  } catch (error) {
    if (isParameterRejected(error)) return false;
    throw error;
  }
}

/** The timeline of a server that takes writes, as 8 hexadecimal digits: right from the moment of its promotion. */
const TIMELINE = `CASE current_setting('transaction_read_only') WHEN 'off'
  THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END`;

/** The timeline of a server; 0 if it takes no writes. */
export async function timelineOf(url: string): Promise<number> {
  const { rows } = await withConnection(
    { url, connectTimeout: LOOK_TIMEOUT },
    (client) => client.query<{ timeline: string | null }>(`SELECT ${TIMELINE} AS timeline`),
    { query_timeout: LOOK_TIMEOUT },
  );
  return Number.parseInt(rows[0]!.timeline ?? '0', 16);
}

/** A client that connects to the current host. If that fails, the next client connects to the next host. */
export class HostClient extends Client {
  private readonly hosts: Hosts;
  private readonly url: string;
  private readonly fault: Error | undefined;
  /** Process id of the server behind this connection, once it is known. */
  backend = 0;
  private timeline = 0;

  constructor({ hosts, settings, ...config }: ClientConfig & { hosts: Hosts; settings: SessionSettings | undefined }) {
    const { url } = hosts;
    const fault = driverFault(url);
    const connectionString = settings === undefined ? url : withSettings(url, settings);
    // The pool does not expect an error here: it would end the process.
    super(fault === undefined ? { ...config, connectionString } : config);
    this.hosts = hosts;
    this.url = url;
    this.fault = fault;
    this.on('error', () => hosts.onLost());
  }

  override connect(): Promise<Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<Client> | void {
    if (callback === undefined) return super.connect();
    const connected = (error: Error): void => {
      if (error) this.hosts.moveOn(this.url);
      callback(error);
    };
    if (this.fault === undefined) super.connect(connected);
    else process.nextTick(connected, this.fault);
  }

  /** Whether another server, which was promoted later, takes writes. */
  get isReplaced(): boolean {
    return this.hosts.haveToBeCompared && this.timeline < this.hosts.newest;
  }

  /** @throws DatabaseUnavailable if the server is one of several, and a standby or an earlier primary */
  async expectWriter(timeout: number): Promise<void> {
    const isOneOfSeveral = this.hosts.haveToBeCompared;
    try {
      const text = `SELECT pg_backend_pid() AS backend, ${isOneOfSeveral ? TIMELINE : 'NULL'} AS timeline`;
      const { rows } = await this.query<{ backend: number; timeline: string | null }>(limited(text, timeout));
      const [{ backend, timeline }] = rows as [(typeof rows)[0]];
      this.backend = backend;
      if (!isOneOfSeveral) return;
      if (timeline === null) throw new DatabaseUnavailable('The server takes no writes.');
      this.timeline = Number.parseInt(timeline, 16);
      if (this.isReplaced) throw new DatabaseUnavailable('The server takes writes, and another was promoted since.');
      this.hosts.newest = this.timeline;
    } catch (error) {
      this.hosts.moveOn(this.url);
      throw error;
    }
  }
}
