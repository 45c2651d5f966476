import { rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalPostgres } from './local-postgres.js';
import { type Major, MAJORS, majorOfTests } from './postgres-programs.js';

/** A file system in memory that every Linux has. Each new database writes 8 MB, and a dropped one a checkpoint. */
const IN_MEMORY = '/dev/shm';
/** Bytes that have to be free there. */
const ROOM = 2 ** 31;

const running: { server: LocalPostgres; folder: string }[] = [];

/** One PostgreSQL for all test files: that of TEST_DATABASE_URL, or an embedded one. Each test makes its own database. */
export default async function startPostgres(): Promise<void> {
  if (process.env['TEST_DATABASE_URL']) return;
  process.env['TEST_DATABASE_URL'] = await start(majorOfTests());
}

/** Another one of the oldest supported version, at TEST_OLDEST_DATABASE_URL. */
export async function startOldestPostgres(): Promise<void> {
  process.env['TEST_OLDEST_DATABASE_URL'] = await start(MAJORS[0]);
}

/** Jest loads all of them in one process, so that this one knows the servers that the others started. */
export async function stopPostgres(): Promise<void> {
  for (const { server, folder } of running.splice(0)) {
    // Without the checkpoint of an orderly end: the data goes with it.
    await server.stop('SIGQUIT');
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns the connection string of a database that is there */
async function start(major: Major): Promise<string> {
  const isInMemory = hasRoom(IN_MEMORY);
  const folder = join(isInMemory ? IN_MEMORY : tmpdir(), `bookings-test-${process.pid}-${major}`);
  const flags = ['-c', 'max_connections=200', '-c', 'max_wal_size=256MB'];
  const server = await LocalPostgres.start(folder, flags, { major });
  running.push({ server, folder });
  // On a disk it takes 0.7 s to drop one: there they go with their server.
  if (!isInMemory) process.env['TEST_DATABASES_STAY'] = 'true';
  return server.url('postgres');
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > ROOM;
  } catch {
    return false;
  }
}
