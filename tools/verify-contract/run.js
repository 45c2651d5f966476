/** Builds the service and this package, in silence unless that fails, and runs `src/main.ts`. */
import { spawnSync } from 'node:child_process';

const build = ['turbo', 'run', 'build', '--filter=api', '--filter=verify-contract'];
const { status, stdout, stderr } = spawnSync('pnpm', build, {
  cwd: new URL('../..', import.meta.url),
  encoding: 'utf8',
});
if (status === 0) {
  await import('./dist/main.js');
} else {
  process.stderr.write(`${stdout}${stderr}The service cannot be built, so nothing was verified.\n`);
  process.exitCode = 2;
}
