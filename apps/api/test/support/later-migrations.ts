import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { temporaryFolder } from 'testing';
import { databaseSettings } from '../../src/cli/with-database.js';
import type { SchemaSettings } from '../../src/platform/database/migrations.js';

/** The settings of a newer version, which has `files` as further migrations. */
export function laterVersion(url: string, files: Record<string, string>): SchemaSettings {
  const folder = temporaryFolder();
  cpSync(fileURLToPath(new URL('../../migrations/', import.meta.url)), folder, { recursive: true });
  for (const [file, sql] of Object.entries(files)) writeFileSync(join(folder, file), sql);
  return { ...databaseSettings({ DATABASE_URL: url }), migrations: pathToFileURL(`${folder}/`) };
}
