import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalPostgres } from 'testing';

/** An embedded PostgreSQL, deleted with all of its databases when it stops. */
export class EmptyDatabases {
  private count = 0;

  private constructor(
    private readonly folder: string,
    private readonly postgres: LocalPostgres,
  ) {}

  static async start(): Promise<EmptyDatabases> {
    const folder = mkdtempSync(join(tmpdir(), 'verify-contract-'));
    return new EmptyDatabases(folder, await LocalPostgres.start(folder));
  }

  /** @returns the connection string of a new database */
  readonly create = async (): Promise<string> => {
    const name = `state_${++this.count}`;
    await this.postgres.createDatabase(name);
    return this.postgres.url(name);
  };

  async stop(): Promise<void> {
    await this.postgres.stop('SIGQUIT');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
