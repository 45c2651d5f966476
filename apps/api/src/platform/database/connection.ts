import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';

export interface ConnectionSettings {
  readonly url: string;
  /** Milliseconds to wait for a connection. */
  readonly connectTimeout: number;
  /** Milliseconds until the response to a statement has to arrive. */
  readonly statementTimeout: number;
}

/** Milliseconds until a connection has to close: a server that hangs does not respond. */
const END_TIMEOUT = 500;

/** Milliseconds of silence before the first probe: only probes show a client that its server is gone. */
const KEEP_ALIVE_DELAY = 10_000;

/** @returns the driver's error for a connection string, such as a missing file */
export function driverFault(url: string): Error | undefined {
  try {
    return void new Client({ connectionString: url });
  } catch (error) {
    return error as Error;
  }
}

/** Runs `work` on a new connection, and rolls back what it has not committed. */
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
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY,
    ...config,
  });
  // Without a listener, a lost connection ends the process.
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await Promise.race([client.end().catch(() => {}), sleep(END_TIMEOUT, undefined, { ref: false })]);
  }
}

/** Adds settings that win over those of the string, the role and the database. */
export function withSessionSettings({ url, statementTimeout }: ConnectionSettings): string {
  const own = {
    statement_timeout: statementTimeout,
    lock_timeout: 0,
    // Planning every list again doubles its CPU.
    plan_cache_mode: 'force_generic_plan',
  };
  const [base, query] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  const settings = Object.entries(own).map(([name, value]) => `-c ${name}=${value}`);
  parameters.set('options', [parameters.get('options') ?? [], settings].flat().join(' '));
  return `${base}?${parameters.toString()}`;
}

/** Fails to connect where the constructor of a client throws, which would end the process in a pool. */
export class CheckedClient extends Client {
  constructor(config: ClientConfig & { connectionString: string }) {
    const fault = driverFault(config.connectionString);
    super(fault === undefined ? config : {});
    const fail = (callback: (error: Error) => void): void => process.nextTick(callback, fault);
    if (fault !== undefined) this.connect = fail as Client['connect'];
  }
}
