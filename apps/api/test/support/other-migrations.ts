import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readConfig } from '../../src/config/config.js';
import type { SchemaSettings } from '../../src/database/schema.js';

export const MIGRATIONS = fileURLToPath(new URL('../../migrations/', import.meta.url));

/** The first line of a migration that runs as it is. */
export const OUTSIDE = '-- runs: outside a transaction\n';

/** The migrations of another version. */
export class OtherMigrations {
  private readonly folder = mkdtempSync(join(tmpdir(), 'migrations-'));

  /** @param last the number of its last migration, such as `0005`; all that there are by default */
  constructor(last = '9999') {
    cpSync(MIGRATIONS, this.folder, {
      recursive: true,
      filter: (path) => !path.endsWith('.sql') || basename(path).slice(0, 4) <= last,
    });
  }

  /** @param later the SQL of further ones, by file; those of earlier calls stay */
  settings(url: string, later: Record<string, string> = {}): SchemaSettings {
    for (const [file, sql] of Object.entries(later)) writeFileSync(join(this.folder, file), sql);
    return { ...readConfig({ DATABASE_URL: url }).database!, migrations: pathToFileURL(`${this.folder}/`) };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
