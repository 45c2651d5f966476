import { ContenderRun, type Figures, type Latency, type SteadyOperation, steadyOperations } from './contender-run.js';
import { type Contender, type ContenderName, operations, type Operation } from './contenders.js';
import type { BenchDatabase } from './database.js';
import { median } from './figures.js';
import type { LoadGenerator } from './load.js';
import type { Cost } from './measure.js';
import { say } from './progress.js';
import { Server } from './server.js';
import { sizes } from './sizes.js';
import { costsInTurns } from './turns.js';

/** Of the contenders that were measured. */
export type Comparison = Partial<Record<ContenderName, Figures>>;

/** Part one: what each operation costs each contender. */
export async function compare(
  contenders: readonly Contender[],
  load: LoadGenerator,
  database: BenchDatabase,
): Promise<Comparison> {
  // Once for the schema, so that every start that is measured finds it.
  for (const { program, database: name } of contenders) {
    if (name === undefined) continue;
    const env = { DATABASE_URL: await database.url(name) };
    await (await Server.start({ args: [program], env })).stop();
  }

  const rounds: Record<string, Figures>[] = [];
  for (let round = 1; round <= sizes.rounds; round++) {
    rounds.push(await figuresOfRound(round, contenders, load, database));
  }
  const medians = contenders.map(({ name }) => [name, medianOf(rounds.map((figures) => figures[name]!))]);
  return Object.fromEntries(medians);
}

/** All contenders run at once, and take turns at each operation. */
async function figuresOfRound(
  round: number,
  contenders: readonly Contender[],
  load: LoadGenerator,
  database: BenchDatabase,
): Promise<Record<string, Figures>> {
  const runs: ContenderRun[] = [];
  try {
    for (const contender of contenders) runs.push(await ContenderRun.start(contender, load, database));
    for (const operation of operations) {
      for (const run of runs) await run.warmUp(operation);
      const turns = runs.map((run) => (amount: number) => run.measureTurn(operation, amount));
      const costs = await costsInTurns(sizes.requests, turns);
      for (const [index, run] of runs.entries()) run.cost[operation] = costs[index]!;
      say(
        `round ${round}, ${operation}: ${runs.map(({ contender, cost }) => `${contender.name} ${cost[operation]!.server.toFixed(0)}`).join(', ')} µs`,
      );
    }
    for (const operation of steadyOperations) for (const run of runs) await run.measureLatency(operation);
    return Object.fromEntries(runs.map((run) => [run.contender.name, run.figures()]));
  } finally {
    for (const run of runs) await run.stop();
  }
}

function medianOf(rounds: readonly Figures[]): Figures {
  const of = (value: (figures: Figures) => number) => median(rounds.map(value));
  const measured = Object.keys(rounds[0]!.cost) as Operation[];
  const costOf = (operation: Operation): Cost => ({
    server: of(({ cost }) => cost[operation]!.server),
    database: of(({ cost }) => cost[operation]!.database),
  });
  const latencyOf = (operation: SteadyOperation): Latency => ({
    p50: of(({ latency }) => latency[operation].p50),
    p99: of(({ latency }) => latency[operation].p99),
  });
  return {
    cost: Object.fromEntries(measured.map((operation) => [operation, costOf(operation)])),
    latency: { get: latencyOf('get'), list: latencyOf('list'), create: latencyOf('create') },
    peakMemory: of(({ peakMemory }) => peakMemory),
    startUp: of(({ startUp }) => startUp),
  };
}
