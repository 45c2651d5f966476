import { rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalPostgres } from './local-postgres.js';

/** A file system in memory that every Linux has. Each new database writes 8 MB, and a dropped one a checkpoint. */
const IN_MEMORY = '/dev/shm';
/** Bytes that have to be free there. */
const ROOM = 2 ** 31;

let running: { server: LocalPostgres; folder: string } | undefined;

/** One PostgreSQL for all test files: that of TEST_DATABASE_URL, or an embedded one. Each test makes its own database. */
export default async function startPostgres(): Promise<void> {
  if (process.env['TEST_DATABASE_URL']) return;
  const isInMemory = hasRoom(IN_MEMORY);
  const folder = join(isInMemory ? IN_MEMORY : tmpdir(), `bookings-test-${process.pid}`);
  const server = await LocalPostgres.start(folder, ['-c', 'max_connections=200', '-c', 'max_wal_size=256MB']);
  running = { server, folder };
  process.env['TEST_DATABASE_URL'] = server.url('postgres');
  // On a disk it takes 0.7 s to drop one: there they go with their server.
  if (!isInMemory) process.env['TEST_DATABASES_STAY'] = 'true';
}

/** Jest loads both in one process, so that this one knows the server that the other started. */
export async function stopPostgres(): Promise<void> {
  if (running === undefined) return;
  // Without the checkpoint of an orderly end: the data goes with it.
  await running.server.stop('SIGQUIT');
  rmSync(running.folder, { recursive: true, force: true });
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > ROOM;
  } catch {
    return false;
  }
}
