import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { LocalPostgres } from 'testing';

const FLAGS = [
  ['max_connections', '60'],
  ['wal_keep_size', '256MB'],
  ['wal_retrieve_retry_interval', '100ms'],
  ['hot_standby', 'on'],
].flatMap(([name, value]) => ['-c', `${name}=${value}`]);
/** Milliseconds in which the primary commits alone, where it does not wait for a standby. */
const CUT_OFF = 300;
const STANDBYS = ['s1', 's2'];
const DATABASE = 'bookings';

/** A primary with two standbys, on this machine. */
export class ReplicatedPostgres {
  private readonly standbys = new Map<string, LocalPostgres>();

  private constructor(
    private readonly folder: string,
    private primary: LocalPostgres,
  ) {}

  /** @param isSynchronous whether a commit waits until one of the standbys has it */
  static async start(isSynchronous: boolean): Promise<ReplicatedPostgres> {
    const folder = join(tmpdir(), `bookings-replicated-${process.pid}-${Date.now()}`);
    const primary = await LocalPostgres.start(folder, FLAGS);
    const cluster = new ReplicatedPostgres(folder, primary);
    await primary.createDatabase(DATABASE);
    for (const name of STANDBYS) await cluster.addStandby(name);
    if (isSynchronous) await cluster.expectStandbys(primary);
    return cluster;
  }

  /** What the service is given: all servers, of which it has to find the one that takes writes. */
  get url(): string {
    const hosts = [...this.standbys.values(), this.primary].map(({ port }) => `127.0.0.1:${port}`);
    return `postgres://postgres@${hosts.join(',')}/${DATABASE}?target_session_attrs=read-write`;
  }

  get standbyUrl(): string {
    return this.standbys.get('s1')!.url(DATABASE);
  }

  query<Row>(text: string): Promise<Row[]> {
    return query(this.primary, text);
  }

  /** Gets that were tried on the standby of {@link standbyUrl}, and how many of them found their booking there. */
  async readsOnStandby(): Promise<{ tried: number; found: number }> {
    const [row] = await query<{ tried: number; found: number }>(
      this.standbys.get('s1')!,
      `SELECT idx_scan::int AS tried, idx_tup_fetch::int AS found FROM pg_stat_user_indexes
        WHERE indexrelname = 'bookings_pkey'`,
    );
    return row!;
  }

  async stopStandbys(): Promise<void> {
    await Promise.all([...this.standbys.values()].map((standby) => standby.stop()));
  }

  /** Starts them again, where they were. */
  async startStandbys(): Promise<void> {
    for (const [name, { port }] of this.standbys) {
      this.standbys.set(name, await LocalPostgres.start(`${this.folder}${name}`, FLAGS, { port }));
    }
  }

  /**
   * Cuts the primary off from its standbys, ends it at once a little later, and has the standby that received most take
   * its place.
   */
  async failOver(): Promise<void> {
    for (const standby of this.standbys.values()) {
      await query(standby, 'ALTER SYSTEM RESET primary_conninfo');
      await query(standby, 'SELECT pg_reload_conf()');
    }
    await sleep(CUT_OFF);
    await this.primary.stop('SIGQUIT');
    const received = new Map<string, bigint>();
    for (const [name, server] of this.standbys) {
      const [row] = await query<{ lsn: string }>(
        server,
        `SELECT (pg_last_wal_receive_lsn() - '0/0'::pg_lsn)::text AS lsn`,
      );
      received.set(name, BigInt(row!.lsn));
    }
    const [first, second] = STANDBYS.toSorted((one, other) => (received.get(one)! < received.get(other)! ? 1 : -1));
    this.primary = this.standbys.get(first!)!;
    this.standbys.delete(first!);
    await query(this.primary, 'SELECT pg_promote(true, 30)');
    await follow(this.standbys.get(second!)!, this.primary, second!);
  }

  async remove(): Promise<void> {
    await Promise.all([this.primary, ...this.standbys.values()].map((server) => server.stop('SIGQUIT')));
    for (const name of ['', ...STANDBYS]) rmSync(`${this.folder}${name}`, { recursive: true, force: true });
  }

  /** A copy of the primary's data (PostgreSQL, "Making a Base Backup Using the Low Level API"). */
  private async addStandby(name: string): Promise<void> {
    const copy = `${this.folder}${name}`;
    const client = new Client({ connectionString: this.primary.url(DATABASE) });
    await client.connect();
    await client.query('SELECT pg_backup_start($1, true)', [name]);
    execFileSync('cp', ['-a', this.folder, copy]);
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    await client.end();
    rmSync(join(copy, 'postmaster.pid'), { force: true });
    writeFileSync(join(copy, 'backup_label'), rows[0]!.labelfile);
    writeFileSync(join(copy, 'standby.signal'), '');
    const source = `host=127.0.0.1 port=${this.primary.port} user=postgres application_name=${name}`;
    writeFileSync(join(copy, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
    execFileSync('chown', ['-R', '--reference', this.folder, copy]);
    this.standbys.set(name, await LocalPostgres.start(copy, FLAGS));
  }

  private async expectStandbys(server: LocalPostgres): Promise<void> {
    await query(server, `ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (${STANDBYS.join(', ')})'`);
    await query(server, 'SELECT pg_reload_conf()');
    const streaming = `SELECT FROM pg_stat_replication WHERE sync_state = 'quorum'`;
    while ((await query(server, streaming)).length < STANDBYS.length) await sleep(50);
    // They are to expect one of each other, too, once they are promoted.
    for (const standby of this.standbys.values()) {
      await query(standby, `ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (${STANDBYS.join(', ')})'`);
      await query(standby, 'SELECT pg_reload_conf()');
    }
  }
}

async function follow(standby: LocalPostgres, primary: LocalPostgres, name: string): Promise<void> {
  const source = `host=127.0.0.1 port=${primary.port} user=postgres application_name=${name}`;
  await query(standby, `ALTER SYSTEM SET primary_conninfo = '${source}'`);
  await query(standby, 'SELECT pg_reload_conf()');
}

async function query<Row>(server: LocalPostgres, text: string): Promise<Row[]> {
  const client = new Client({ connectionString: server.url(DATABASE) });
  await client.connect();
  try {
    return (await client.query(text)).rows as Row[];
  } finally {
    await client.end();
  }
}
