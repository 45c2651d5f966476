import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { DatabaseUnavailable, SchemaMismatch, sqlstateOf } from './postgres-errors.js';

/** A database, and how long to wait for it. */
export interface Target {
  readonly url: string;
  /** Maximum milliseconds to open a connection. A statement waits for one no longer than both limits together. */
  readonly connectTimeout: number;
  /** Milliseconds within which the response to a statement has to arrive. */
  readonly statementTimeout: number;
}

export interface SessionSettings extends Target {
  /** Whether a pooler shares sessions between clients, so that no setting or prepared statement lasts. */
  readonly isPooled: boolean;
}

/** Maximum milliseconds to wait for a connection to close: a hung server never responds. */
export const END_TIMEOUT = 500;

/** Probes of TCP after ten seconds of silence reveal whether the server is gone. */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** A setting without effect, which reveals whether a session has the service's settings. */
const CANARY_SETTING = 'service.session';

/**
 * SQLSTATEs with which PgBouncer (protocol_violation) and RDS Proxy (feature_not_supported) reject session settings.
 */
const REJECTIONS = new Set(['08P01', '0A000']);

const SETTINGS_ARE_LOST =
  'a transaction pooler does not keep the settings in `options` of DATABASE_URL. Set them with ALTER ROLE … SET.';

/** @returns the error with which the driver rejects a connection string, as for a missing certificate file */
export function driverFault(url: string): Error | undefined {
  try {
    return void new Client({ connectionString: url });
  } catch (error) {
    return error as Error;
  }
}

/**
 * Opens a session.
 *
 * @param socket destroying it ends the opening at any point, also while a name is looked up
 * @param check runs within the same time
 * @throws Error if the session cannot be opened in time, or is lost meanwhile
 */
async function connect(
  config: ClientConfig,
  timeout: number,
  socket: Socket,
  check: (client: Client) => Promise<void> = async () => {},
): Promise<Client> {
  const timer = setTimeout(() => socket.destroy(new Error('connection timeout')), timeout);
  try {
    const client = new Client({ ...config, ...KEEP_ALIVE, stream: () => socket });
    // The error of a lost session would end the process if nothing listened.
    client.on('error', () => socket.destroy());
    await client.connect();
    await check(client);
    // What ends a session may arrive together with its last response.
    if (socket.destroyed) throw new Error('the connection was lost');
    return client;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Runs `work` on a new connection, then closes the connection, which rolls back anything not committed. */
export async function withConnection<Result>(
  { url, connectTimeout }: Pick<Target, 'url' | 'connectTimeout'>,
  work: (client: Client) => Promise<Result>,
  config: ClientConfig = {},
): Promise<Result> {
  const socket = new Socket();
  const application = { connectionString: url, application_name: 'booking-service-schema' };
  const client = await connect({ ...application, ...config }, connectTimeout, socket);
  try {
    return await work(client);
  } finally {
    await Promise.race([client.end().catch(() => {}), sleep(END_TIMEOUT, undefined, { ref: false })]);
    socket.destroy();
  }
}

/** Opens a session for the service's statements. @throws Error as `connect` does, or on a standby */
export function openSession(settings: SessionSettings, socket: Socket): Promise<Client> {
  const connectionString = settings.isPooled ? settings.url : withSessionSettings(settings);
  const config = { connectionString, application_name: 'booking-service', pipeline: true };
  return connect(config, settings.connectTimeout, socket, expectPrimary);
}

/** Adds the service's session settings to the URL. They override those of the URL, the role and the database. */
export function withSessionSettings({ url, statementTimeout }: Target): string {
  const own = {
    statement_timeout: statementTimeout,
    lock_timeout: 0,
    // Planning each list query anew would double its CPU time.
    plan_cache_mode: 'force_generic_plan',
    // Plans stay in use as tables grow: a scan that was cheap for a small table would read all of a large one.
    enable_seqscan: 'off',
    // Some scans seem so costly with `enable_seqscan` off that PostgreSQL would compile them for longer than they run.
    jit: 'off',
    [CANARY_SETTING]: 'on',
  };
  const [base] = url.split('?', 1);
  const parameters = new URL(url).searchParams;
  const options = parameters.has('options') ? [parameters.get('options')] : [];
  for (const [name, value] of Object.entries(own)) options.push(`-c ${name}=${value}`);
  parameters.set('options', options.join(' '));
  return `${base}?${parameters.toString()}`;
}

/**
 * Whether a pooler shares sessions between clients: such a pooler rejects session settings, or loses them.
 *
 * @throws SchemaMismatch if it would lose settings of the URL
 */
export async function isPooled(settings: Target): Promise<boolean> {
  const isShared = await losesSettings(settings);
  // Other options, such as those for a proxy, are no settings of the session.
  const hasSettings = /(?:^|\s)-(?:c|-)/.test(new URL(settings.url).searchParams.get('options') ?? '');
  if (isShared && hasSettings) throw new SchemaMismatch(SETTINGS_ARE_LOST);
  return isShared;
}

async function losesSettings(settings: Target): Promise<boolean> {
  try {
    const { rows } = await withConnection(
      { ...settings, url: withSessionSettings(settings) },
      (client) => client.query(`SELECT WHERE current_setting('${CANARY_SETTING}', true) = 'on'`),
      { query_timeout: settings.statementTimeout },
    );
    return rows.length === 0;
  } catch (error) {
    if (REJECTIONS.has(sqlstateOf(error) ?? '')) return true;
    throw error;
  }
}

/** @throws DatabaseUnavailable on a standby, which may lack acknowledged writes */
async function expectPrimary(client: Client): Promise<void> {
  const { rows } = await client.query<{ isStandby: boolean }>('SELECT pg_is_in_recovery() AS "isStandby"');
  if (rows[0]!.isStandby) throw new DatabaseUnavailable('The server is a standby.');
}
