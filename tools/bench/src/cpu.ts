import { readdirSync, readFileSync } from 'node:fs';

/** Microseconds of a clock tick: USER_HZ is 100 on every Linux that Node runs on (proc(5)). */
const TICK = 10_000;

/**
 * Microseconds of CPU, user and system, that a process has used. The scheduler's own count of its
 * threads, in nanoseconds; it is the sum that `utime` and `stime` of `/proc/PID/stat` give in ticks
 * of 10 ms, which are taken where the kernel does not have it.
 */
export function cpuOf(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.reduce((sum, thread) => sum + threadTime(pid, thread), 0) / 1_000;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const [user, system] = statOf(pid).times;
    return (user + system) * TICK;
  }
}

/** Microseconds of CPU that a process and all that come from it have used, those that have ended included. */
export function cpuOfTree(root: number): number {
  for (;;) {
    const [, , childUser, childSystem] = statOf(root).times;
    const living = treeOf(root).map(cpuOrNothing);
    // What has ended since it was listed belongs to the times of the children now: count again.
    if (living.every((cpu) => cpu !== undefined)) {
      return (childUser + childSystem) * TICK + living.reduce((sum, cpu) => sum + cpu, 0);
    }
  }
}

function treeOf(root: number): number[] {
  const parents = new Map(processes().map((pid) => [pid, orNothing(() => statOf(pid).parent)]));
  const isInTree = (pid: number): boolean => {
    for (let at: number | undefined = pid; at !== undefined && at > 0; at = parents.get(at))
      if (at === root) return true;
    return false;
  };
  return [...parents.keys()].filter(isInTree);
}

function cpuOrNothing(pid: number): number | undefined {
  return orNothing(() => cpuOf(pid));
}

/** Bytes of memory: what is resident now, and the most that ever was. */
export function memoryOf(pid: number): { resident: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kibibytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
  return { resident: kibibytes('VmRSS') * 1024, peak: kibibytes('VmHWM') * 1024 };
}

interface Stat {
  readonly parent: number;
  /** In ticks: user, system, and both of the children that have ended. */
  readonly times: readonly [number, number, number, number];
}

function statOf(pid: number): Stat {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the name in parentheses, which may hold anything.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  return { parent: fields[1]!, times: [fields[11]!, fields[12]!, fields[13]!, fields[14]!] };
}

/** Undefined where the process has ended since it was listed. */
function orNothing<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

function threadTime(pid: number, thread: string): number {
  return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ', 1)[0]);
}

function processes(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}
