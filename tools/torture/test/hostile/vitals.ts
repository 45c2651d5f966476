import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Maximum CPU seconds that an idle process uses in half a second. */
const IDLE = 0.25;

/** Whether a service holds no more files and sockets than `before`, and is idle for half a second. */
export async function isBackAt(before: number, url: string): Promise<boolean> {
  const { cpu } = await vitalsOf(url);
  await sleep(500);
  const after = await vitalsOf(url);
  return after.files <= before && after.cpu - cpu <= IDLE;
}

export async function vitalsOf(url: string): Promise<{ files: number; cpu: number }> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const valueOf = (name: string): number => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(metrics)![1]);
  return { files: valueOf('process_open_fds'), cpu: valueOf('process_cpu_seconds_total') };
}

/** The peak memory of a process in MiB, from /proc (Linux). */
export function peakMemoryOf(pid: number): number {
  return mebibytes(pid, 'VmHWM');
}

/** The resident memory of a process in MiB, from /proc (Linux). */
export function memoryOf(pid: number): number {
  return mebibytes(pid, 'VmRSS');
}

function mebibytes(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)![1]) / 1024);
}
