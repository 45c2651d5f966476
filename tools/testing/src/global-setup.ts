import { rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalPostgres } from './local-postgres.js';
import { majorOfTests } from './postgres-programs.js';

/** Linux's file system in memory, used if it has room: on a disk, dropping a database takes 0.7 s. */
const IN_MEMORY = '/dev/shm';
const ROOM = 2 ** 31;

let running: { server: LocalPostgres; folder: string } | undefined;

/** Starts one PostgreSQL for all test files, unless TEST_DATABASE_URL names a server. Each test creates a database. */
export default async function startPostgres(): Promise<void> {
  if (process.env['TEST_DATABASE_URL']) return;
  const major = majorOfTests();
  const isInMemory = hasRoom(IN_MEMORY);
  const folder = join(isInMemory ? IN_MEMORY : tmpdir(), `bookings-test-${process.pid}-${major}`);
  const flags = ['-c', 'max_connections=200', '-c', 'max_wal_size=256MB'];
  const server = await LocalPostgres.start(folder, flags, { major });
  running = { server, folder };
  if (!isInMemory) process.env['TEST_DATABASES_STAY'] = 'true';
  process.env['TEST_DATABASE_URL'] = server.url('postgres');
}

export async function stopPostgres(): Promise<void> {
  if (running === undefined) return;
  await running.server.stop('SIGQUIT');
  rmSync(running.folder, { recursive: true, force: true });
  running = undefined;
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > ROOM;
  } catch {
    return false;
  }
}
