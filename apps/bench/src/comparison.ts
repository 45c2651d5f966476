import { type Contender, type ContenderName, contenders, type Operation } from './contenders.js';
import { memoryOf } from './cpu.js';
import type { BenchDatabase } from './database.js';
import { median } from './figures.js';
import type { LoadGenerator, Requests, SteadyResult } from './load.js';
import { type Cost, measure } from './measure.js';
import { payloadOf, type PayloadPlan } from './payloads.js';
import { say } from './progress.js';
import { Server } from './server.js';
import { CONNECTIONS, sizes, SMALL_DETAILS, STEADY_RATE } from './sizes.js';

export const steadyOperations = ['get', 'list', 'create'] as const satisfies readonly Operation[];
type SteadyOperation = (typeof steadyOperations)[number];

/** Milliseconds. */
type Latency = Pick<SteadyResult, 'p50' | 'p99'>;

/** What one contender took in one round, or its medians over the rounds. */
export interface Figures {
  readonly cost: Partial<Record<Operation, Cost>>;
  readonly latency: Record<SteadyOperation, Latency>;
  /** Bytes. */
  readonly peakMemory: number;
  /** Milliseconds. */
  readonly startUp: number;
}

export type Comparison = Record<ContenderName, Figures>;

const DATABASE = 'comparison';
const payloads: PayloadPlan = { cells: 1_000_000, detailBytes: SMALL_DETAILS };
/** Different creates that are replayed. Fewer than the requests of a warm-up, which make them. */
const KEYS = 500;
const statuses: Record<Operation, number> = { get: 200, list: 200, create: 201, refused: 409, replay: 201 };

/** Part one: what each operation costs each contender. */
export async function compare(load: LoadGenerator, database: BenchDatabase): Promise<Comparison> {
  const env = { DATABASE_URL: await database.url(DATABASE) };
  const { program, path } = contenders.find(({ usesDatabase }) => usesDatabase)!;
  // Once for the schema, so that every start that is measured finds it.
  await (await Server.start({ args: [program], env, path })).stop();

  const rounds: Record<string, Figures[]> = {};
  for (let round = 1; round <= sizes.rounds; round++) {
    for (const contender of contenders) {
      const { name, usesDatabase = false } = contender;
      if (usesDatabase) await database.query(DATABASE, 'TRUNCATE bookings');
      const server = await Server.start({
        args: [contender.program],
        path: contender.listPath,
        ...(usesDatabase && { env }),
      });
      try {
        const figures = await figuresOf(contender, server, load, usesDatabase ? database : undefined);
        (rounds[name] ??= []).push(figures);
        say(`round ${round}, ${name}: ${inWords(figures)}`);
      } finally {
        await server.stop();
      }
    }
  }
  return Object.fromEntries(Object.entries(rounds).map(([name, all]) => [name, medianOf(all)])) as Comparison;
}

async function figuresOf(
  { path, listPath, operations, share = 1 }: Contender,
  server: Server,
  load: LoadGenerator,
  database: BenchDatabase | undefined,
): Promise<Figures> {
  const { url } = server;
  const { prefill } = sizes;
  const { ids } = await load.burst({
    url,
    requests: { method: 'POST', path, payloads, firstNumber: 0 },
    status: 201,
    amount: prefill,
    connections: CONNECTIONS,
    idEvery: 1,
  });
  await database?.query(DATABASE, 'VACUUM ANALYZE bookings');

  let firstNumber = prefill + KEYS;
  const body = (number: number) => payloadOf(number, payloads);
  const requests: Record<Operation, () => Requests> = {
    get: () => ({ method: 'GET', inTurn: ids.map((id) => ({ path: `${path}/${id}` })) }),
    list: () => ({ method: 'GET', inTurn: [{ path: listPath }] }),
    create: () => ({ method: 'POST', path, payloads, firstNumber }),
    refused: () => ({ method: 'POST', inTurn: numbers(prefill).map((number) => ({ path, body: body(number) })) }),
    replay: () => ({
      method: 'POST',
      inTurn: numbers(KEYS).map((number) => ({ path, body: body(prefill + number), key: `key-${number}` })),
    }),
  };

  const cost: Figures['cost'] = {};
  for (const operation of operations) {
    const burst = { status: statuses[operation], connections: CONNECTIONS };
    const warmUp = Math.max(Math.round(sizes.warmUp * share), KEYS);
    const warm = await load.burst({ url, ...burst, requests: requests[operation](), amount: warmUp });
    if (operation === 'create') firstNumber = warm.nextNumber;
    const amount = Math.round(sizes.requests * share);
    const measured = await measure(load, server, { ...burst, requests: requests[operation](), amount }, database);
    if (operation === 'create') firstNumber = measured.nextNumber;
    cost[operation] = measured.cost;
  }

  const latency: Partial<Figures['latency']> = {};
  for (const operation of steadyOperations) {
    const steady = { url, status: statuses[operation], rate: STEADY_RATE, seconds: sizes.steadySeconds };
    const { p50, p99, nextNumber } = await load.steady({ ...steady, requests: requests[operation]() });
    if (operation === 'create') firstNumber = nextNumber;
    latency[operation] = { p50, p99 };
  }
  const { peak } = memoryOf(server.pid);
  return { cost, latency: latency as Figures['latency'], peakMemory: peak, startUp: server.startUp };
}

function medianOf(rounds: readonly Figures[]): Figures {
  const of = (value: (figures: Figures) => number) => median(rounds.map(value));
  const operations = Object.keys(rounds[0]!.cost) as Operation[];
  const costOf = (operation: Operation): Cost => ({
    server: of(({ cost }) => cost[operation]!.server),
    database: of(({ cost }) => cost[operation]!.database),
  });
  const latencyOf = (operation: SteadyOperation): Latency => ({
    p50: of(({ latency }) => latency[operation].p50),
    p99: of(({ latency }) => latency[operation].p99),
  });
  return {
    cost: Object.fromEntries(operations.map((operation) => [operation, costOf(operation)])),
    latency: { get: latencyOf('get'), list: latencyOf('list'), create: latencyOf('create') },
    peakMemory: of(({ peakMemory }) => peakMemory),
    startUp: of(({ startUp }) => startUp),
  };
}

function inWords({ cost }: Figures): string {
  const costs = Object.entries(cost).map(([operation, { server }]) => `${operation} ${server.toFixed(0)}`);
  return `${costs.join(', ')} µs`;
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, number) => number);
}
