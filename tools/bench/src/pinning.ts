import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Servers run on one core and the load generator on another, so that neither costs the other its cache. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

export const isPinned = availableParallelism() > 1 && spawnSync('taskset', ['-c', '0', 'true']).status === 0;

/** The command that runs Node with `args` on a core, where `taskset` is there; it becomes Node, so that the process id stays. */
export function nodeOn(core: number | undefined, args: readonly string[]): [command: string, args: string[]] {
  if (!isPinned || core === undefined) return [process.execPath, [...args]];
  return ['taskset', ['-c', String(core), process.execPath, ...args]];
}
