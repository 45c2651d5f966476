import { rmSync } from 'node:fs';

export default async function stopPostgres() {
  if (globalThis.testPostgres === undefined) return;
  // Without the checkpoint of an orderly end: the data goes with it.
  await globalThis.testPostgres.stop('SIGQUIT');
  rmSync(globalThis.testPostgresFolder, { recursive: true, force: true });
}
