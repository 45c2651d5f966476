import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readConfig } from '../../src/config/config.js';
import type { SchemaSettings } from '../../src/platform/database/migrations.js';

/** The migrations of a newer version, which has more of them. */
export class OtherMigrations {
  private readonly folder = mkdtempSync(join(tmpdir(), 'migrations-'));

  constructor() {
    cpSync(fileURLToPath(new URL('../../migrations/', import.meta.url)), this.folder, { recursive: true });
  }

  settings(url: string, later: Record<string, string> = {}): SchemaSettings {
    for (const [file, sql] of Object.entries(later)) writeFileSync(join(this.folder, file), sql);
    return { ...readConfig({ DATABASE_URL: url }).database!, migrations: pathToFileURL(`${this.folder}/`) };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
