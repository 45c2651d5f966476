import { Client } from 'pg';

export interface TransactionSettings {
  readonly url: string;
  /** Milliseconds to wait for the connection. */
  readonly connectTimeout: number;
  /** Milliseconds to wait for a lock that another connection holds. */
  readonly lockTimeout: number;
}

/** Runs `work` in one transaction on a connection of its own: committed when it resolves, else undone. */
export async function inTransaction<Result>(
  { url, connectTimeout, lockTimeout }: TransactionSettings,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({
    connectionString: url,
    application_name: 'booking-service-schema',
    connectionTimeoutMillis: connectTimeout,
    lock_timeout: lockTimeout,
  });
  // A connection that is lost fails its query too; without a listener it would also end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } finally {
    // Ends the transaction too, where it was not committed.
    await client.end().catch(() => {});
  }
}
