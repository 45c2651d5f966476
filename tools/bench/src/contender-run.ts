import { BOOKINGS_PATH as path, type Contender, type Operation } from './contenders.js';
import { memoryOf } from './cpu.js';
import type { BenchDatabase } from './database.js';
import type { Burst, LoadGenerator, Requests, SteadyResult } from './load.js';
import { type Cost, measure } from './measure.js';
import { payloadOf, type PayloadPlan } from './payloads.js';
import { Server } from './server.js';
import { CONNECTIONS, sizes, SMALL_DETAILS, STEADY_RATE } from './sizes.js';

export const steadyOperations = ['get', 'list', 'create'] as const satisfies readonly Operation[];
export type SteadyOperation = (typeof steadyOperations)[number];

/** Milliseconds. */
export type Latency = Pick<SteadyResult, 'p50' | 'p99'>;

/** What one contender took in one round, or its medians over the rounds. */
export interface Figures {
  readonly cost: Partial<Record<Operation, Cost>>;
  readonly latency: Record<SteadyOperation, Latency>;
  /** Bytes. */
  readonly peakMemory: number;
  /** Milliseconds. */
  readonly startUp: number;
}

const payloads: PayloadPlan = { cells: 1_000_000, detailBytes: SMALL_DETAILS };
/** Of the requests, for contenders that take several times as long for each. */
const SHARE_ON_POSTGRES = 0.5;
/** Different creates that are replayed. Fewer than the requests of a warm-up, which make them. */
const KEYS = 500;
const statuses: Record<Operation, number> = { get: 200, list: 200, create: 201, rejected: 409, replay: 201 };

/** One contender, started and filled, in one round. */
export class ContenderRun {
  readonly cost: Partial<Record<Operation, Cost>> = {};
  private readonly latency: Partial<Figures['latency']> = {};
  /** The number of the next payload that has a free slot; those before it for replays have none yet. */
  private nextNumber = sizes.prefill + KEYS;

  private constructor(
    readonly contender: Contender,
    private readonly server: Server,
    private readonly load: LoadGenerator,
    private readonly ids: readonly string[],
    private readonly database: BenchDatabase | undefined,
  ) {}

  static async start(contender: Contender, load: LoadGenerator, bench: BenchDatabase): Promise<ContenderRun> {
    const { database: name } = contender;
    if (name !== undefined) await bench.query(name, 'TRUNCATE bookings');
    const env = name !== undefined && { DATABASE_URL: await bench.url(name) };
    const server = await Server.start({ args: [contender.program], ...(env && { env }) });
    const { ids } = await load.burst({
      url: server.url,
      requests: { method: 'POST', path, payloads, firstNumber: 0 },
      status: 201,
      amount: sizes.prefill,
      connections: CONNECTIONS,
      idEvery: 1,
    });
    if (name !== undefined) await bench.query(name, 'VACUUM ANALYZE bookings');
    return new ContenderRun(contender, server, load, ids, name === undefined ? undefined : bench);
  }

  async warmUp(operation: Operation): Promise<void> {
    const amount = Math.max(this.shareOf(sizes.warmUp), KEYS);
    const { nextNumber } = await this.load.burst({ url: this.server.url, ...this.burstOf(operation), amount });
    if (operation === 'create') this.nextNumber = nextNumber;
  }

  async measureTurn(operation: Operation, requests: number): Promise<Cost> {
    const burst = { ...this.burstOf(operation), amount: this.shareOf(requests) };
    const { cost, nextNumber } = await measure(this.load, this.server, burst, this.database);
    if (operation === 'create') this.nextNumber = nextNumber;
    return cost;
  }

  async measureLatency(operation: SteadyOperation): Promise<void> {
    const steady = {
      url: this.server.url,
      status: statuses[operation],
      rate: STEADY_RATE,
      seconds: sizes.steadySeconds,
    };
    const { p50, p99, nextNumber } = await this.load.steady({ ...steady, requests: this.requestsOf(operation) });
    if (operation === 'create') this.nextNumber = nextNumber;
    this.latency[operation] = { p50, p99 };
  }

  /** To be called once everything is measured. */
  figures(): Figures {
    const { cost, latency } = this;
    const { peak } = memoryOf(this.server.pid);
    return { cost, latency: latency as Figures['latency'], peakMemory: peak, startUp: this.server.startUp };
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  private burstOf(operation: Operation): Pick<Burst, 'requests' | 'status' | 'connections'> {
    return { requests: this.requestsOf(operation), status: statuses[operation], connections: CONNECTIONS };
  }

  private shareOf(amount: number): number {
    return Math.round(amount * (this.contender.database === undefined ? 1 : SHARE_ON_POSTGRES));
  }

  private requestsOf(operation: Operation): Requests {
    const body = (number: number) => payloadOf(number, payloads);
    const requests: Record<Operation, () => Requests> = {
      get: () => ({ method: 'GET', inTurn: this.ids.map((id) => ({ path: `${path}/${id}` })) }),
      list: () => ({ method: 'GET', inTurn: [{ path }] }),
      create: () => ({ method: 'POST', path, payloads, firstNumber: this.nextNumber }),
      rejected: () => ({
        method: 'POST',
        inTurn: numbers(sizes.prefill).map((number) => ({ path, body: body(number) })),
      }),
      replay: () => ({
        method: 'POST',
        inTurn: numbers(KEYS).map((number) => ({ path, body: body(sizes.prefill + number), key: `key-${number}` })),
      }),
    };
    return requests[operation]();
  }
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, number) => number);
}
