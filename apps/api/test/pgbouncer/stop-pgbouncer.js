import stopPostgres from 'testing/global-teardown';

export default async function stopPgBouncer() {
  await globalThis.testPgBouncer?.stop();
  await stopPostgres();
}
