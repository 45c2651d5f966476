import { PgBouncer } from 'testing';
import startPostgres from 'testing/global-setup';
import stopPostgres from 'testing/global-teardown';

/** Starts the test server with a PgBouncer in front. */
export default async function startPgBouncer() {
  await startPostgres();
  const url = process.env.TEST_DATABASE_URL;
  try {
    globalThis.testPgBouncer = await PgBouncer.start(url);
  } catch (error) {
    await stopPostgres();
    throw new Error(`${error.message}. Without it: TORTURE_WITHOUT_PGBOUNCER=true.`, { cause: error });
  }
  process.env.TEST_PGBOUNCER_URL = globalThis.testPgBouncer.through(url);
}
