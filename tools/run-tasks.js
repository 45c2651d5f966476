/** `node tools/run-tasks.js TASK…`: runs turbo, and fails if a signal ends it. Turbo alone would exit with 0. */
import { spawn } from 'node:child_process';

const turbo = spawn('turbo', ['run', ...process.argv.slice(2)], { stdio: 'inherit' });
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    process.exitCode = 1;
    turbo.kill(signal);
  });
turbo.on('exit', (code) => (process.exitCode ||= code ?? 1));
