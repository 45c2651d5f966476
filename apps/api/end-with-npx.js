/**
 * For `node --import`: ends a program that `npx pnpm` runs when that npx has ended. The shell between npx and pnpm passes
 * no signal on. Does nothing where no npx runs pnpm.
 */
import { spawnSync } from 'node:child_process';

/** Milliseconds between two checks. */
const INTERVAL = 500;

const ancestors = upToNpx();
if (ancestors.length > 0) {
  let isStopping = false;
  const timer = setInterval(() => {
    if (ancestors.every(isRunning)) return;
    clearInterval(timer);
    // A signal to all of them is received first: a second one would end the program at once.
    setImmediate(() => {
      if (!isStopping) process.kill(process.pid, 'SIGTERM');
    });
  }, INTERVAL).unref();
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      isStopping = true;
      clearInterval(timer);
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    });
  }
}

/** The processes of pnpm, of the shell and of npx. Empty if there is no npx, or no `ps` to find it. */
function upToNpx() {
  const pids = [];
  for (let pid = process.ppid; pids.length < 3;) {
    const { stdout } = spawnSync('ps', ['-o', 'ppid=,args=', '-p', String(pid)], { encoding: 'utf8' });
    const [, parent, command] = /^ *(\d+) +(.*)/.exec(stdout) ?? [];
    if (parent === undefined) return [];
    pids.push(pid);
    if (command.startsWith('npm exec ')) return pids;
    pid = Number(parent);
  }
  return [];
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}
