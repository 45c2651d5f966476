import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalPostgres } from 'testing';

/** A file system in memory that every Linux has. Each new database writes 8 MB, and a dropped one a checkpoint. */
const IN_MEMORY = '/dev/shm';
const ROOM = 2 ** 31;

/** One PostgreSQL for all test files: that of TEST_DATABASE_URL, or an embedded one. Each test makes its own database. */
export default async function startPostgres() {
  if (process.env.TEST_DATABASE_URL) return;
  const isInMemory = hasRoom(IN_MEMORY);
  const folder = join(isInMemory ? IN_MEMORY : tmpdir(), `bookings-test-${process.pid}`);
  const flags = ['-c', 'max_connections=200', '-c', 'max_wal_size=256MB'];
  globalThis.testPostgres = await LocalPostgres.start(folder, flags);
  globalThis.testPostgresFolder = folder;
  process.env.TEST_DATABASE_URL = globalThis.testPostgres.url('postgres');
  // On a disk it takes 0.7 s to drop one: there they go with their server.
  if (!isInMemory) process.env.TEST_DATABASES_STAY = 'true';
}

function hasRoom(folder) {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > ROOM;
  } catch {
    return false;
  }
}
