import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { BOOKINGS_PATH, service } from './contenders.js';
import type { BenchDatabase } from './database.js';
import { median } from './figures.js';
import { LoadGenerator } from './load.js';
import type { PayloadPlan } from './payloads.js';
import type { LoopRun } from './pg-loop.js';
import { say } from './progress.js';
import { Server } from './server.js';
import { POOL_SIZE, sizes, SMALL_DETAILS, THROUGHPUT_CLIENTS } from './sizes.js';

/** Creates per second. */
export interface Throughput {
  readonly clients: number;
  readonly http: number;
  readonly loop: number;
  readonly ratio: number;
}

const DATABASE = 'throughput';
const payloads: PayloadPlan = { cells: 1_000_000, detailBytes: SMALL_DETAILS };

/**
 * Part three: creates through HTTP against the same INSERT without it. Nothing is pinned here: each
 * side may use the whole machine.
 */
export async function measureThroughput(database: BenchDatabase): Promise<Throughput[]> {
  const url = await database.url(DATABASE);
  const env = { DATABASE_URL: url, DATABASE_POOL_SIZE: String(POOL_SIZE) };
  const server = await Server.start({ args: [service], env, pinned: false });
  const load = new LoadGenerator({ pinned: false });
  const loop = fork(fileURLToPath(new URL('pg-loop.js', import.meta.url)));
  const amount = sizes.throughputCreates;
  const rounds: { loop: number; http: number[] }[] = [];
  let firstNumber = 0;
  const byHttp = async (connections: number): Promise<number> => {
    const burst = await load.burst({
      url: server.url,
      requests: { method: 'POST', path: BOOKINGS_PATH, payloads, firstNumber },
      status: 201,
      amount,
      connections,
    });
    firstNumber = burst.nextNumber;
    return amount / burst.seconds;
  };
  try {
    for (let round = 0; round <= sizes.rounds; round++) {
      loop.send({ url, connections: POOL_SIZE, amount, payloads, firstNumber } satisfies LoopRun);
      const [loopRate] = (await once(loop, 'message')) as [number];
      firstNumber += amount;
      const http: number[] = [];
      for (const clients of THROUGHPUT_CLIENTS) http.push(await byHttp(clients));
      const rates = THROUGHPUT_CLIENTS.map((clients, index) => `${http[index]!.toFixed(0)} (${clients} clients)`);
      say(`creates a second: ${loopRate.toFixed(0)} by the plain loop, by HTTP ${rates.join(', ')}`);
      // The first round warms up.
      if (round > 0) rounds.push({ loop: loopRate, http });
    }
  } finally {
    loop.disconnect();
    load.stop();
    await server.stop();
  }
  return THROUGHPUT_CLIENTS.map((clients, index) => ({
    clients,
    http: median(rounds.map(({ http }) => http[index]!)),
    loop: median(rounds.map(({ loop }) => loop)),
    ratio: median(rounds.map(({ http, loop }) => http[index]! / loop)),
  }));
}
