import { once } from 'node:events';
import { rmSync } from 'node:fs';
import stopPostgres from 'testing/global-teardown';

export default async function stopPgBouncer() {
  if (globalThis.testPgBouncer !== undefined) {
    const { child, folder } = globalThis.testPgBouncer;
    if (child.exitCode === null) {
      child.kill('SIGQUIT');
      await once(child, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  }
  await stopPostgres();
}
