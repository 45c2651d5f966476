/** `node tools/run-tasks.js TASK…`: runs turbo, and fails if a signal ends it. Turbo alone would exit with 0. */
import { spawn } from 'node:child_process';

const turbo = spawn('turbo', ['run', ...process.argv.slice(2)], { stdio: 'inherit' });
let isStopped = false;
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    isStopped = true;
    turbo.kill(signal);
  });
turbo.on('exit', (code) => (process.exitCode = isStopped ? 1 : (code ?? 1)));
