import { readFileSync } from 'node:fs';

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
