import { cpuOf } from './cpu.js';
import type { BenchDatabase } from './database.js';
import type { Burst, BurstResult, LoadGenerator } from './load.js';
import type { Server } from './server.js';

/** Microseconds of CPU that one request costs. */
export interface Cost {
  /** In the process of the server. */
  readonly server: number;
  /** In the processes of the database; 0 without one. */
  readonly database: number;
}

/** Sends a burst and takes what it cost the server, and the database where there is one. */
export async function measure(
  load: LoadGenerator,
  server: Server,
  burst: Omit<Burst, 'url'>,
  database?: BenchDatabase,
): Promise<BurstResult & { cost: Cost }> {
  const [serverBefore, databaseBefore] = [cpuOf(server.pid), database?.cpu() ?? 0];
  const result = await load.burst({ url: server.url, ...burst });
  const [serverAfter, databaseAfter] = [cpuOf(server.pid), database?.cpu() ?? 0];
  const { amount } = burst;
  return {
    ...result,
    cost: { server: (serverAfter - serverBefore) / amount, database: (databaseAfter - databaseBefore) / amount },
  };
}

export function total({ server, database }: Cost): number {
  return server + database;
}
