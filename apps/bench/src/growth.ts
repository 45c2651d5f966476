import { SERVICE_PATH } from './contenders.js';
import { memoryOf } from './cpu.js';
import type { BenchDatabase } from './database.js';
import { median } from './figures.js';
import type { FixedRequest, LoadGenerator, Requests } from './load.js';
import { type Cost, measure, total } from './measure.js';
import { BASE, HOUR, instant, payloadOf, resourceOf, RESOURCES } from './payloads.js';
import { say } from './progress.js';
import { CONNECTIONS, sizes } from './sizes.js';
import { type FilledStore, fillMemory, fillPostgres } from './stores.js';
import { costsInTurns } from './turns.js';

export interface GrowthRow {
  readonly operation: string;
  readonly small: Cost;
  readonly big: Cost;
  /** Of all CPU, that of the database included. */
  readonly ratio: number;
}

export interface Growth {
  readonly memory: readonly GrowthRow[];
  readonly postgres: readonly GrowthRow[];
  /** Bytes that a booking with 200 bytes of details takes in memory: of the heap in use, and of the resident set. */
  readonly bookingHeap: number;
  readonly bookingResident: number;
}

/** Bookings on a page of the walk to the hundredth, so that 1,000 bookings have one, and one after it. */
const WALK_LIMIT = 9;
/** Hours of a window of `from` and `to`, over all resources: a slot an hour on each. */
const WINDOW = 5;
/** Different windows that are asked for in turn, at most. */
const WINDOWS = 500;

/** Part two: what each operation costs with many bookings against few. */
export async function measureGrowth(load: LoadGenerator, database: BenchDatabase): Promise<Growth> {
  const small = await fillMemory(load, sizes.small);
  const big = await fillMemory(load, sizes.big);
  const [few, many] = [await footprintOf(small), await footprintOf(big)];
  const perBooking = (kind: 'heap' | 'resident') => (many[kind] - few[kind]) / (sizes.big - sizes.small);
  const memory = await growthOf('memory', small, big, load);

  const smallTable = await fillPostgres(database, sizes.small);
  const bigTable = await fillPostgres(database, sizes.big);
  const postgres = await growthOf('PostgreSQL', smallTable, bigTable, load, database);
  return { memory, postgres, bookingHeap: perBooking('heap'), bookingResident: perBooking('resident') };
}

async function footprintOf({ server }: FilledStore): Promise<{ heap: number; resident: number }> {
  const heap = await server.usedHeap();
  return { heap, resident: memoryOf(server.pid).resident };
}

async function growthOf(
  name: string,
  small: FilledStore,
  big: FilledStore,
  load: LoadGenerator,
  database?: BenchDatabase,
): Promise<GrowthRow[]> {
  await warmUp(small, load);
  await warmUp(big, load);
  const readsOfSmall = await readsOf(small);
  const readsOfBig = await readsOf(big);
  const rows: GrowthRow[] = [];
  const add = (operation: string, costs: Record<'small' | 'big', Cost[]>): void => {
    const row = { small: medianOf(costs.small), big: medianOf(costs.big) };
    rows.push({ operation, ...row, ratio: total(row.big) / total(row.small) });
    say(`${name}, ${operation}: ${total(row.small).toFixed(0)} µs, then ${total(row.big).toFixed(0)} µs`);
  };

  for (const operation of Object.keys(readsOfSmall)) {
    const costs = await inTurn(sizes.growthRequests, sizes.growthRequests, async (store, amount) => {
      const requests = (store === small ? readsOfSmall : readsOfBig)[operation]!;
      const burst = { requests, status: 200, amount, connections: CONNECTIONS };
      return (await measure(load, store.server, burst, database)).cost;
    });
    add(operation, costs);
  }
  // Last: the reads above found exactly as many bookings as they say.
  add(
    'create',
    await inTurn(Math.ceil(sizes.growthCreates / 3), sizes.growthCreates, async (store, amount) => {
      const { payloads, nextNumber: firstNumber } = store;
      const requests: Requests = { method: 'POST', path: SERVICE_PATH, payloads, firstNumber };
      const burst = { requests, status: 201, amount, connections: CONNECTIONS };
      const { cost, nextNumber } = await measure(load, store.server, burst, database);
      store.nextNumber = nextNumber;
      return cost;
    }),
  );
  await Promise.all([small.server.stop(), big.server.stop()]);
  return rows;

  async function inTurn(
    warmUpAmount: number,
    amount: number,
    costOf: (store: FilledStore, amount: number) => Promise<Cost>,
  ): Promise<Record<'small' | 'big', Cost[]>> {
    const costs: Record<'small' | 'big', Cost[]> = { small: [], big: [] };
    for (const store of [small, big]) await costOf(store, warmUpAmount);
    for (let round = 1; round <= sizes.rounds; round++) {
      const [ofSmall, ofBig] = await costsInTurns(
        amount,
        [small, big].map((store) => (some: number) => costOf(store, some)),
      );
      costs.small.push(ofSmall!);
      costs.big.push(ofBig!);
    }
    return costs;
  }
}

/**
 * Creates that are refused, as many for either store. The big one was filled by far more requests:
 * without these the small one would run code that is not optimised yet, and growth would look better than it is.
 *
 * They are for slots from all over the store: each process of PostgreSQL pays for the first time that it looks into
 * a page of the shared cache, which is a part of a cold start (6 page faults a create with a million bookings).
 */
async function warmUp({ server, bookings, payloads }: FilledStore, load: LoadGenerator): Promise<void> {
  const inTurn = Array.from({ length: sizes.growthWarmUp }, (_, index) => ({
    path: SERVICE_PATH,
    body: payloadOf(Math.floor((index * bookings) / sizes.growthWarmUp), payloads),
  }));
  const requests: Requests = { method: 'POST', inTurn };
  await load.burst({ url: server.url, requests, status: 409, amount: inTurn.length, connections: CONNECTIONS });
}

async function readsOf(store: FilledStore): Promise<Record<string, Requests>> {
  const get = (...paths: string[]): Requests => ({
    method: 'GET',
    inTurn: paths.map((path): FixedRequest => ({ path: SERVICE_PATH + path })),
  });
  const hours = store.bookings / RESOURCES - WINDOW;
  const windows = Array.from({ length: Math.min(WINDOWS, hours) }, (_, index, count = Math.min(WINDOWS, hours)) => {
    const from = BASE + Math.floor((index * hours) / count) * HOUR;
    return `?from=${instant(from)}&to=${instant(from + WINDOW * HOUR)}`;
  });
  const resources = Array.from({ length: RESOURCES }, (_, cell) => `?resource_id=${resourceOf(cell)}`);
  return {
    get: get(...store.ids.map((id) => `/${id}`)),
    'list, first page': get(''),
    'list, hundredth page': get(await hundredthPage(store)),
    'list by resource': get(...resources),
    'list by from and to': get(...windows),
    'list, sort=-created_at': get('?sort=-created_at'),
    'list, sort=created_at': get('?sort=created_at'),
    'list, sort=start': get('?sort=start'),
    'list, sort=-start': get('?sort=-start'),
  };
}

async function hundredthPage({ server }: FilledStore): Promise<string> {
  const first = `?limit=${WALK_LIMIT}`;
  let query = first;
  for (let page = 1; page < 100; page++) {
    const response = await fetch(server.url + SERVICE_PATH + query);
    const { next_cursor } = (await response.json()) as { next_cursor: string };
    query = `${first}&cursor=${encodeURIComponent(next_cursor)}`;
  }
  return query;
}

/** The rounds stay whole: server and database of the round whose sum is the median. */
function medianOf(costs: readonly Cost[]): Cost {
  const middle = median(costs.map(total));
  return costs.find((cost) => total(cost) === middle)!;
}
