import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { LocalPostgres } from 'testing';

const FLAGS = ['-c', 'max_connections=60', '-c', 'hot_standby=on'];
const STANDBY = 'standby';
const DATABASE = 'bookings';

/** A primary whose commits wait until its standby has them, on this machine. */
export class ReplicatedPostgres {
  private constructor(
    private readonly folder: string,
    readonly primary: LocalPostgres,
    readonly standby: LocalPostgres,
  ) {}

  static async start(): Promise<ReplicatedPostgres> {
    const folder = join(tmpdir(), `bookings-replicated-${process.pid}-${Date.now()}`);
    const primary = await LocalPostgres.start(folder, FLAGS);
    await primary.createDatabase(DATABASE);
    const standby = await startStandby(folder, primary);
    await query(primary, `ALTER SYSTEM SET synchronous_standby_names = '${STANDBY}'`);
    await query(primary, 'SELECT pg_reload_conf()');
    const streaming = `SELECT FROM pg_stat_replication WHERE sync_state = 'sync'`;
    while ((await query(primary, streaming)).length === 0) await sleep(50);
    return new ReplicatedPostgres(folder, primary, standby);
  }

  /** @returns what the service is given: one address, of whatever leads to the primary */
  url(port: number): string {
    return `postgres://postgres@127.0.0.1:${port}/${DATABASE}`;
  }

  /** Resolves when the standby takes writes. */
  async promote(): Promise<void> {
    await query(this.standby, 'SELECT pg_promote(true, 30)');
  }

  /** One statement on the standby, after its promotion. */
  query<Row>(text: string): Promise<Row[]> {
    return query(this.standby, text);
  }

  async remove(): Promise<void> {
    await Promise.all([this.primary, this.standby].map((server) => server.stop('SIGQUIT')));
    for (const folder of [this.folder, `${this.folder}-standby`]) rmSync(folder, { recursive: true, force: true });
  }
}

/** On a copy of the primary's data (PostgreSQL, "Making a Base Backup Using the Low Level API"). */
async function startStandby(folder: string, primary: LocalPostgres): Promise<LocalPostgres> {
  const copy = `${folder}-standby`;
  const client = new Client({ connectionString: primary.url(DATABASE) });
  await client.connect();
  await client.query('SELECT pg_backup_start($1, true)', [STANDBY]);
  execFileSync('cp', ['-a', folder, copy]);
  const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
  await client.end();
  rmSync(join(copy, 'postmaster.pid'), { force: true });
  writeFileSync(join(copy, 'backup_label'), rows[0]!.labelfile);
  writeFileSync(join(copy, 'standby.signal'), '');
  const source = `host=127.0.0.1 port=${primary.port} user=postgres application_name=${STANDBY}`;
  writeFileSync(join(copy, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
  execFileSync('chown', ['-R', '--reference', folder, copy]);
  return LocalPostgres.start(copy, FLAGS);
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
