/** Builds the service and this package, in silence unless that fails, and runs `src/main.ts`. */
import { spawnSync } from 'node:child_process';

const build = ['exec', 'turbo', 'run', 'build', '--filter=api', '--filter=verify-contract', '--ui=stream'];
const { status, stdout, stderr } = spawnSync('pnpm', build, {
  cwd: new URL('../..', import.meta.url),
  env: { ...process.env, DO_NOT_TRACK: '1' },
  encoding: 'utf8',
});
if (status === 0) {
  await import('./dist/main.js');
} else {
  process.stderr.write(`${stdout}${stderr}The service cannot be built, so nothing was verified.\n`);
  process.exitCode = 2;
}
