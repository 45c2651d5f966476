import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';
import { LocalPostgres, query, temporaryFolder, until, withClient } from 'testing';

export const SERVICE_ROLE = 'booking_service';
const STANDBY = 'standby';

// WAL that no commit waits for is written only every 10 s: a crash then loses the bookings of a service that does not
// wait. The server keeps the WAL that an absent standby misses.
const FLAGS = ['max_connections=120', 'wal_writer_delay=10s', 'autovacuum=off', 'wal_keep_size=128MB'].flatMap(
  (setting) => ['-c', setting],
);

/** A PostgreSQL server that can crash, start again, and have a standby. */
export class CrashablePostgres {
  private constructor(
    private readonly folder: string,
    private server: LocalPostgres,
  ) {}

  static async start(): Promise<CrashablePostgres> {
    const folder = temporaryFolder();
    const postgres = new CrashablePostgres(folder, await LocalPostgres.start(folder, FLAGS));
    await postgres.query('postgres', `CREATE ROLE ${SERVICE_ROLE} LOGIN`);
    return postgres;
  }

  /** Starts a standby that every commit waits for (PostgreSQL, "Making a Base Backup Using the Low Level API"). */
  async startStandby(): Promise<CrashablePostgres> {
    const folder = temporaryFolder();
    await this.withClient('postgres', async (client) => {
      await client.query('SELECT pg_backup_start($1, true)', [STANDBY]);
      execFileSync('cp', ['-a', `${this.folder}/.`, folder]);
      const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
      writeFileSync(join(folder, 'backup_label'), rows[0]!.labelfile);
    });
    rmSync(join(folder, 'postmaster.pid'));
    writeFileSync(join(folder, 'standby.signal'), '');
    const primary = `host=127.0.0.1 port=${this.server.port} user=postgres application_name=${STANDBY}`;
    writeFileSync(join(folder, 'postgresql.auto.conf'), `primary_conninfo = '${primary}'\n`);
    execFileSync('chown', ['-R', '--reference', this.folder, folder]);
    const standby = new CrashablePostgres(folder, await LocalPostgres.start(folder, FLAGS));
    await this.query('postgres', `ALTER SYSTEM SET synchronous_standby_names = '${STANDBY}'`);
    await this.query('postgres', 'SELECT pg_reload_conf()');
    const synchronous = `SELECT FROM pg_stat_replication WHERE sync_state = 'sync'`;
    await until(async () => (await this.query('postgres', synchronous)).length > 0);
    return standby;
  }

  get port(): number {
    return this.server.port;
  }

  async createDatabase(database: string): Promise<void> {
    await this.query('postgres', `CREATE DATABASE ${database} OWNER ${SERVICE_ROLE}`);
  }

  query<Row>(database: string, text: string, values?: unknown[]): Promise<Row[]> {
    return query(this.server.url(database), text, values);
  }

  withClient<Result>(database: string, work: (client: Client) => Promise<Result>): Promise<Result> {
    return withClient(this.server.url(database), work);
  }

  /** Waits until the service's statements have ended, even statements whose callers are gone. */
  async untilIdle(): Promise<void> {
    const busy = `SELECT FROM pg_stat_activity WHERE usename = $1 AND state <> 'idle'`;
    await until(async () => (await this.query('postgres', busy, [SERVICE_ROLE])).length === 0);
  }

  stop(signal?: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void> {
    return this.server.stop(signal);
  }

  /** Starts the server again, once the children of a killed postmaster have ended. */
  async restart(): Promise<void> {
    const { port } = this.server;
    await until(async () => {
      this.server = await LocalPostgres.start(this.folder, FLAGS, { port });
      return true;
    });
  }
}
