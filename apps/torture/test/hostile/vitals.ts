import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a process holds, and its CPU while it is idle. */
export interface Vitals {
  readonly files: number;
  readonly sockets: number;
  readonly residentMib: number;
  /** Percent of a core, over half a second. */
  readonly idleCpu: number;
}

const IDLE = 500;
/** Of the kernel's clock, as in /proc/PID/stat (proc(5)); on Linux 100 for all programs. */
const TICKS_PER_SECOND = 100;

/** Reads them from /proc, which Linux alone has. */
export async function vitalsOf(pid: number): Promise<Vitals> {
  const before = cpuTicks(pid);
  await sleep(IDLE);
  const idleCpu = ((cpuTicks(pid) - before) / TICKS_PER_SECOND / (IDLE / 1_000)) * 100;
  const links = readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`));
  const resident = Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024;
  return {
    files: links.filter((link) => link.startsWith('/')).length,
    sockets: links.filter((link) => link.startsWith('socket:')).length,
    residentMib: Math.round(resident),
    idleCpu,
  };
}

/** It may be closed by now. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function cpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  // utime and stime, of which the second field here is the fourth of all.
  return Number(fields[11]) + Number(fields[12]);
}

/** The milliseconds that a request takes, less those in which the machine ran other programs than its two ends. */
export async function durationOf(pid: number, request: () => Promise<void>): Promise<number> {
  const delays = (): number => runDelay(pid) + runDelay(process.pid);
  const [requestedAt, before] = [performance.now(), delays()];
  await request();
  return performance.now() - requestedAt - (delays() - before);
}

/** Milliseconds that the main thread of a process was ready to run and did not (the second field of schedstat). */
function runDelay(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
}

/** Percent of a core that an idle process may use, on a machine that is busy. */
const IDLE_CPU = 50;

/** Expects that a process holds no more than before, after at most some seconds. */
export async function isBack(
  pid: number,
  before: Vitals,
  { moreSockets = 0, moreMib = Infinity }: { moreSockets?: number; moreMib?: number } = {},
): Promise<void> {
  const most = {
    files: before.files,
    sockets: before.sockets + moreSockets,
    residentMib: before.residentMib + moreMib,
  };
  const isAbove = (now: Vitals): boolean =>
    now.files > most.files ||
    now.sockets > most.sockets ||
    now.residentMib > most.residentMib ||
    now.idleCpu > IDLE_CPU;
  let now = await vitalsOf(pid);
  for (let attempt = 1; attempt < 20 && isAbove(now); attempt++) now = await vitalsOf(pid);
  expect({ now, most, isAbove: isAbove(now) }).toMatchObject({ isAbove: false });
}
