import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { LocalPostgres } from 'testing';
import { cpuOfTree } from './cpu.js';

/**
 * Durable, as the service requires. Background work that could start in the middle of a measurement is put off:
 * the bench vacuums by hand.
 */
const FLAGS = [
  ['shared_buffers', '1GB'],
  ['max_wal_size', '8GB'],
  ['checkpoint_timeout', '1h'],
  ['autovacuum', 'off'],
  ['maintenance_work_mem', '256MB'],
].flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/** The PostgreSQL of one run: a new one, in a folder that goes away with it. */
export class BenchDatabase {
  private constructor(
    private readonly server: LocalPostgres,
    private readonly folder: string,
  ) {}

  static async start(): Promise<BenchDatabase> {
    const folder = mkdtempSync(join(tmpdir(), 'bookings-bench-'));
    return new BenchDatabase(await LocalPostgres.start(folder, FLAGS), folder);
  }

  /** @returns the connection string of a database, which is created if it does not exist */
  async url(database: string): Promise<string> {
    await this.server.createDatabase(database);
    return this.server.url(database);
  }

  /** Microseconds of CPU that the whole server has used. */
  cpu(): number {
    return cpuOfTree(this.server.postmasterPid);
  }

  async query(database: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: await this.url(database) });
    await client.connect();
    try {
      let rows: Record<string, unknown>[] = [];
      for (const statement of statements) ({ rows } = await client.query<Record<string, unknown>>(statement));
      return rows;
    } finally {
      await client.end();
    }
  }

  /** Removes a database, so that the next one finds the cache and the disk free. */
  async drop(database: string): Promise<void> {
    await this.query('postgres', `DROP DATABASE ${database} WITH (FORCE)`);
  }

  async stop(): Promise<void> {
    await this.server.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
