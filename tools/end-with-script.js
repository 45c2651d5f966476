import { spawnSync } from 'node:child_process';

/** Milliseconds between two checks of whether the ancestors still run. */
const INTERVAL = 500;

/**
 * Ends the program once an ancestor up to npx has ended. npx runs pnpm in a shell, pnpm runs this script in another,
 * and neither shell passes a signal on: without this, a killed npx would leave the service running.
 */
export function endWithScript() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const ancestors = upToNpx();
  let isStopping = false;
  const timer = setInterval(() => {
    if (ancestors.every(isRunning)) return;
    clearInterval(timer);
    // Ctrl+C signals every process. This process handles that signal first: a second signal would end it at once.
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

/** Process ids of the ancestors: this script's shell, pnpm, pnpm's shell, npx. Only the first without npx or `ps`. */
function upToNpx() {
  const pids = [];
  for (let pid = process.ppid; pids.length < 4;) {
    const { stdout } = spawnSync('ps', ['-o', 'ppid=,args=', '-p', String(pid)], { encoding: 'utf8' });
    const [, parent, command] = /^ *(\d+) +(.*)/.exec(stdout) ?? [];
    if (parent === undefined) break;
    pids.push(pid);
    if (command.startsWith('npm exec ')) return pids;
    pid = Number(parent);
  }
  return [process.ppid];
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}
