import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalPostgres } from 'testing';

/** One PostgreSQL for all test files: that of TEST_DATABASE_URL, or an embedded one. Each test makes its own database. */
export default async function startPostgres() {
  if (process.env.TEST_DATABASE_URL) {
    process.env.TEST_SERVER_STAYS = 'true';
    return;
  }
  const folder = join(tmpdir(), `bookings-test-${process.pid}`);
  globalThis.testPostgres = await LocalPostgres.start(folder, ['-c', 'max_connections=200']);
  globalThis.testPostgresFolder = folder;
  process.env.TEST_DATABASE_URL = globalThis.testPostgres.url('postgres');
}
