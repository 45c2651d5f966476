import { rmSync } from 'node:fs';

export default async function stopPostgres() {
  if (globalThis.testPostgres === undefined) return;
  await globalThis.testPostgres.stop();
  rmSync(globalThis.testPostgresFolder, { recursive: true, force: true });
}
