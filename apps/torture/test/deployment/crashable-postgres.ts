import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { LocalPostgres, type Major } from 'testing';

/** The role of the service. Not the superuser, to whom a limit on connections does not apply. */
export const SERVICE_ROLE = 'booking_service';

// The server writes what it acknowledged by itself only every 10 s: a service that does not wait for
// the write would lose bookings in a crash, and be seen to.
const FLAGS = ['-c', 'max_connections=120', '-c', 'wal_writer_delay=10s', '-c', 'autovacuum=off'];

/** Milliseconds for which a start is tried again: the children of a killed postmaster have to end first. */
const START_TIMEOUT = 60_000;

/** A PostgreSQL server of its own that can be crashed, frozen and started again. */
export class CrashablePostgres {
  private constructor(
    private readonly folder: string,
    private server: LocalPostgres,
    private readonly version: { readonly major?: Major },
  ) {}

  /** @param version that of the tests if it names none */
  static async start(version: { readonly major?: Major } = {}): Promise<CrashablePostgres> {
    const folder = join(tmpdir(), `bookings-torture-${process.pid}-${Date.now()}`);
    const postgres = new CrashablePostgres(folder, await LocalPostgres.start(folder, FLAGS, version), version);
    await postgres.query('postgres', `CREATE ROLE ${SERVICE_ROLE} LOGIN`);
    return postgres;
  }

  get port(): number {
    return this.server.port;
  }

  /** @returns the connection string of the service's role, through a proxy where `port` is one */
  url(database: string, port = this.port): string {
    return `postgres://${SERVICE_ROLE}@127.0.0.1:${port}/${database}`;
  }

  /** Makes an empty database that belongs to the service. */
  async createDatabase(database: string): Promise<void> {
    await this.query('postgres', `CREATE DATABASE ${database} OWNER ${SERVICE_ROLE}`);
  }

  /** One statement as the superuser, on a connection of its own. */
  async query<Row>(database: string, text: string, values: unknown[] = []): Promise<Row[]> {
    return this.withClient(database, async (client) => {
      const { rows } = await client.query(text, values);
      return rows as Row[];
    });
  }

  async withClient<Result>(database: string, work: (client: Client) => Promise<Result>): Promise<Result> {
    const client = new Client({ connectionString: this.server.url(database) });
    client.on('error', () => {});
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end().catch(() => {});
    }
  }

  /** Ends the connections of the service, as a fail-over does. */
  async cutConnections(): Promise<void> {
    await this.query('postgres', 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [
      SERVICE_ROLE,
    ]);
  }

  /** Waits for the statements of callers that are gone: what they do counts too. */
  async untilIdle(): Promise<void> {
    const busy = `SELECT FROM pg_stat_activity WHERE usename = $1 AND state <> 'idle'`;
    while ((await this.query('postgres', busy, [SERVICE_ROLE])).length > 0) await sleep(20);
  }

  async stop(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL' = 'SIGINT'): Promise<void> {
    await this.server.stop(signal);
  }

  /** Starts the server again where it was. Resolves when it takes connections. */
  async startAgain(): Promise<void> {
    const { port } = this.server;
    for (const deadline = performance.now() + START_TIMEOUT; ; await sleep(100)) {
      try {
        this.server = await LocalPostgres.start(this.folder, FLAGS, { ...this.version, port });
        return;
      } catch (error) {
        if (performance.now() > deadline) throw error;
      }
    }
  }

  /** Stops every process of the server where it stands. @returns what lets them go on */
  async freeze(): Promise<() => void> {
    const client = new Client({ connectionString: this.server.url('postgres') });
    client.on('error', () => {});
    await client.connect();
    // The postmaster first: after that there are no new children.
    const pids = [this.server.postmasterPid];
    process.kill(pids[0]!, 'SIGSTOP');
    const { rows } = await client.query<{ pid: number }>('SELECT pid FROM pg_stat_activity');
    for (const { pid } of rows) pids.push(pid);
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    return () => {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
      void client.end().catch(() => {});
    };
  }

  /** Stops the server and removes its data. */
  async remove(): Promise<void> {
    await this.server.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
