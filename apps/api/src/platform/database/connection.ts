import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { codeOf } from './postgres-errors.js';

export interface ConnectionSettings {
  readonly url: string;
  /** Milliseconds to wait for a connection. */
  readonly connectTimeout: number;
  /** Milliseconds that a statement may take, its response included. */
  readonly statementTimeout: number;
}

/** Milliseconds to wait for a connection to close: a server that hangs does not respond. */
const END_TIMEOUT = 500;

/** Milliseconds without a packet before the first probe of a connection. */
const KEEP_ALIVE_DELAY = 10_000;

/** A setting without effect, which nothing else sets. */
const MARK = 'booking_service.session';

/** What PgBouncer (protocol_violation) and RDS Proxy (feature_not_supported) reject the settings of a session with. */
const REJECTIONS = new Set(['08P01', '0A000']);

/** Why the driver cannot take a connection string, such as a file that is gone; undefined if it can. */
export function driverFault(url: string): Error | undefined {
  try {
    return void new Client({ connectionString: url });
  } catch (error) {
    return error as Error;
  }
}

/** Runs `work` on a new connection. What it has not committed is rolled back. */
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
    // A client that waits for a long statement sends nothing else that a server which lost it could reset.
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY,
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
 * A connection string with what the service relies on, whatever is set for the role, the database or in the string. They
 * are added to its `options`, and win over the same there. Prepared statements are planned once for each connection: by
 * default PostgreSQL would plan every list again, which is half of its CPU.
 */
export function withSessionSettings({
  url,
  statementTimeout,
}: Pick<ConnectionSettings, 'url' | 'statementTimeout'>): string {
  const own = {
    statement_timeout: statementTimeout,
    lock_timeout: 0,
    plan_cache_mode: 'force_generic_plan',
    [MARK]: 'on',
  };
  const [base, query] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  const settings = Object.entries(own).map(([name, value]) => `-c ${name}=${value}`);
  parameters.set('options', [parameters.get('options') ?? [], settings].flat().join(' '));
  return `${base}?${parameters.toString()}`;
}

/** Whether the `options` of a connection string have settings, rather than what a proxy on the way wants to know. */
export function hasSettings(url: string): boolean {
  return /(?:^|\s)-(?:c|-)/.test(new URL(url).searchParams.get('options') ?? '');
}

/**
 * Whether a pooler on the way shares sessions between its clients, so that no setting or prepared statement of one lasts.
 * It rejects the settings of a session, or loses them if it is configured to ignore them.
 */
export async function isPooled(settings: ConnectionSettings): Promise<boolean> {
  try {
    const { rows } = await withConnection(
      { ...settings, url: withSessionSettings(settings) },
      (client) => client.query(`SELECT WHERE current_setting('${MARK}', true) = 'on'`),
      { query_timeout: settings.statementTimeout },
    );
    return rows.length === 0;
  } catch (error) {
    if (REJECTIONS.has(codeOf(error) ?? '')) return true;
    throw error;
  }
}

/** A client of a pool, which does not expect an error of the constructor: it would end the process. */
export class CheckedClient extends Client {
  constructor(config: ClientConfig & { connectionString: string }) {
    const fault = driverFault(config.connectionString);
    super(fault === undefined ? config : {});
    const fail = (callback: (error: Error) => void): void => process.nextTick(callback, fault);
    if (fault !== undefined) this.connect = fail as Client['connect'];
  }
}
