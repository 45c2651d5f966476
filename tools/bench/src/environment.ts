import { availableParallelism, cpus, totalmem } from 'node:os';
import { isPinned, LOAD_CORE, SERVER_CORE } from './pinning.js';
import type { BenchDatabase } from './database.js';

/** Where and how a run was made. */
export interface Environment {
  readonly date: string;
  readonly node: string;
  readonly postgres: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly pinning: string;
}

export async function readEnvironment(database: BenchDatabase): Promise<Environment> {
  const [row] = await database.query('postgres', 'SHOW server_version');
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    postgres: String(row?.['server_version']),
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    pinning: isPinned
      ? `servers on core ${SERVER_CORE}, load generator on core ${LOAD_CORE}, PostgreSQL on any`
      : 'nothing is pinned: there is no taskset here, or only one core',
  };
}
