import { Client, type QueryResultRow } from 'pg';

/** Connects to a database while `work` is under way. A lost connection rejects only the statement under way. */
export async function withClient<Result>(
  connectionString: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

export async function query<Row>(connectionString: string, sql: string, values: unknown[] = []): Promise<Row[]> {
  const { rows } = await withClient(connectionString, (client) => client.query<QueryResultRow>(sql, values));
  return rows as Row[];
}
