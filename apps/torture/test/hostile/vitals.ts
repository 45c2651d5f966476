import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a process holds, and its CPU while it is idle. */
export interface Vitals {
  readonly files: number;
  readonly sockets: number;
  /** Ticks of the kernel's clock in half a second, which has fifty of them (proc(5)). */
  readonly ticks: number;
}

/** Of an idle process, at most. */
const IDLE_TICKS = 25;

/** Reads them from /proc, which Linux alone has. */
export async function vitalsOf(pid: number): Promise<Vitals> {
  const before = ticksOf(pid);
  await sleep(500);
  const links = readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`));
  const count = (start: string): number => links.filter((link) => link.startsWith(start)).length;
  return { files: count('/'), sockets: count('socket:'), ticks: ticksOf(pid) - before };
}

/** Waits until a process holds no more than before and is idle, for a minute at most. @returns what it holds more */
export async function excessOf(pid: number, before: Vitals): Promise<Partial<Vitals>> {
  for (const end = performance.now() + 60_000; ;) {
    const now = await vitalsOf(pid);
    const most = { ...before, ticks: IDLE_TICKS };
    const excess = Object.entries(now).filter(([name, count]) => count > most[name as keyof Vitals]);
    if (excess.length === 0 || performance.now() > end) return Object.fromEntries(excess);
  }
}

/** MiB of memory that a process had at its largest. */
export function peakMemoryOf(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}

/** It may be closed by now. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  // utime and stime, of which the second field here is the fourth of all.
  return Number(fields[11]) + Number(fields[12]);
}
