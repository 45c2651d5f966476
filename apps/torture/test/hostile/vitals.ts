import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** The files and sockets of a process, and its CPU while it is idle. */
export interface Vitals {
  readonly files: number;
  readonly sockets: number;
  /** Ticks of the kernel's clock in half a second, which has fifty of them (proc(5)). */
  readonly ticks: number;
}

/** The most of an idle process. */
const IDLE_TICKS = 25;

/** Reads from /proc, which Linux alone has. */
export async function vitalsOf(pid: number): Promise<Vitals> {
  const before = ticksOf(pid);
  await sleep(500);
  const links = readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`));
  const count = (start: string): number => links.filter((link) => link.startsWith(start)).length;
  return { files: count('/'), sockets: count('socket:'), ticks: ticksOf(pid) - before };
}

/** Whether a process holds no more than before, and is idle. */
export async function isBackAt(before: Vitals, pid: number): Promise<boolean> {
  const { files, sockets, ticks } = await vitalsOf(pid);
  return files <= before.files && sockets <= before.sockets && ticks <= IDLE_TICKS;
}

/** MiB of memory that a process had at its largest. */
export function peakMemoryOf(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}

/** Empty where the file was closed since it was listed. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function ticksOf(pid: number): number {
  // utime and stime follow the name, which ends with a parenthesis, as its 12th and 13th fields.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
