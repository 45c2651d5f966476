/**
 * `node tools/run-tasks.js TASK…`: runs turbo, and fails where turbo does not: a run that is ended by a signal has not
 * passed, and turbo would exit with 0.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';

const turbo = spawn('turbo', ['run', ...process.argv.slice(2)], { stdio: 'inherit' });
/** @type {NodeJS.Signals | undefined} */
let signal;
for (const each of /** @type {const} */ (['SIGHUP', 'SIGINT', 'SIGTERM'])) {
  process.on(each, () => {
    signal = each;
    turbo.kill(each);
  });
}
const [code, killedBy] = await once(turbo, 'exit');
signal ??= killedBy;
process.exitCode = signal === undefined || signal === null ? code : 128 + constants.signals[signal];
