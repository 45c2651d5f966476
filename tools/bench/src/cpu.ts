import { readdirSync, readFileSync } from 'node:fs';

/** Nanoseconds of a clock tick: USER_HZ is 100 on every Linux that Node runs on (proc(5)). */
const TICK = 10_000_000;

/** Microseconds of CPU, user and system, that a process has used: the scheduler's own count of its threads. */
export function cpuOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const times = threads.map((thread) => Number(textOf(`/proc/${pid}/task/${thread}/schedstat`).split(' ', 1)[0]));
  return times.reduce((sum, time) => sum + time, 0) / 1_000;
}

/** Microseconds of CPU that a process and its children have used, including those that have ended. */
export function cpuWithChildren(pid: number): number {
  const { ended } = statOf(pid);
  const children = readdirSync('/proc')
    .map(Number)
    .filter((child) => Number.isInteger(child) && statOf(child).parent === pid);
  return [pid, ...children].reduce((sum, one) => sum + cpuOf(one), (ended * TICK) / 1_000);
}

/** The parent of a process, and the ticks of its children that have ended. */
function statOf(pid: number): { parent: number; ended: number } {
  const stat = textOf(`/proc/${pid}/stat`);
  // The second field is the name in parentheses, which may hold anything.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  return { parent: fields[1] ?? 0, ended: (fields[13] ?? 0) + (fields[14] ?? 0) };
}

/** Empty where the process or its thread has ended since it was listed. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
