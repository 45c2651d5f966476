import { BOOKINGS_PATH } from './contenders.js';
import { memoryOf } from './cpu.js';
import type { BenchDatabase } from './database.js';
import type { FixedRequest, LoadGenerator, Requests } from './load.js';
import { type Cost, measure, total } from './measure.js';
import { BASE, HOUR, instant, payloadOf, resourceOf, RESOURCES, slotOrders } from './payloads.js';
import { say } from './progress.js';
import { CONNECTIONS, sizes } from './sizes.js';
import { type FilledStore, fillMemory, fillPostgres } from './stores.js';
import { mediansInTurns } from './turns.js';
import { measureWindows, type WindowRow } from './windows.js';

export interface GrowthRow {
  readonly operation: string;
  readonly small: Cost;
  readonly big: Cost;
  /** Of all CPU, that of the database included. */
  readonly ratio: number;
}

export interface StoreGrowth {
  readonly rows: GrowthRow[];
  readonly windows: WindowRow[];
}

export interface Growth {
  readonly memory: StoreGrowth;
  readonly postgres: StoreGrowth;
  /** Bytes that a booking with 200 bytes of details takes in memory: of the heap in use, and of the resident set. */
  readonly bookingHeap: number;
  readonly bookingResident: number;
}

type Stores = readonly [small: FilledStore, big: FilledStore];

/** Bookings on a page of the walk to the hundredth, so that 1,000 bookings have one, and one after it. */
const WALK_LIMIT = 9;
/** Hours of a window of `from` and `to`, over all resources: a slot an hour on each. */
const WINDOW = 5;
/** Different windows that are requested in turn, at most. */
const WINDOWS = 500;

/** Part two: what each operation costs with many bookings against few, whatever order they were made in. */
export async function measureGrowth(load: LoadGenerator, database: BenchDatabase): Promise<Growth> {
  const small = await fillMemory(load, sizes.small, 'random');
  const big = await fillMemory(load, sizes.big, 'random');
  const [few, many] = [await footprintOf(small), await footprintOf(big)];
  const perBooking = (kind: 'heap' | 'resident') => (many[kind] - few[kind]) / (sizes.big - sizes.small);
  const memory = await growthOf('memory', [small, big], load);
  const postgres = await growthOf(
    'PostgreSQL',
    await both((size) => fillPostgres(database, size, 'random')),
    load,
    database,
  );
  for (const order of slotOrders.filter((order) => order !== 'random')) {
    const inMemory = await both((size) => fillMemory(load, size, order));
    memory.windows.push(...(await windowsOf('memory', inMemory, load)));
    const tables = await both((size) => fillPostgres(database, size, order));
    postgres.windows.push(...(await windowsOf('PostgreSQL', tables, load, database)));
  }
  return { memory, postgres, bookingHeap: perBooking('heap'), bookingResident: perBooking('resident') };
}

async function both(fill: (bookings: number) => Promise<FilledStore>): Promise<Stores> {
  return [await fill(sizes.small), await fill(sizes.big)];
}

async function windowsOf(
  name: string,
  stores: Stores,
  load: LoadGenerator,
  database?: BenchDatabase,
): Promise<WindowRow[]> {
  for (const store of stores) await warmUp(store, load);
  const rows = await measureWindows(name, stores, load, database);
  for (const store of stores) await store.remove();
  return rows;
}

async function footprintOf({ server }: FilledStore): Promise<{ heap: number; resident: number }> {
  const heap = await server.usedHeap();
  return { heap, resident: memoryOf(server.pid).resident };
}

async function growthOf(
  name: string,
  stores: Stores,
  load: LoadGenerator,
  database?: BenchDatabase,
): Promise<StoreGrowth> {
  const [small] = stores;
  for (const store of stores) await warmUp(store, load);
  const reads = new Map<FilledStore, Record<string, Requests>>();
  for (const store of stores) reads.set(store, await readsOf(store));
  const rows: GrowthRow[] = [];
  const add = (operation: string, [ofSmall, ofBig]: Cost[]): void => {
    const ratio = total(ofBig!) / total(ofSmall!);
    rows.push({ operation, small: ofSmall!, big: ofBig!, ratio });
    say(`${name}, ${operation}: ${total(ofSmall!).toFixed(0)} µs, then ${total(ofBig!).toFixed(0)} µs`);
  };

  for (const operation of Object.keys(reads.get(small)!)) {
    const costs = await mediansInTurns(stores, sizes.growthRequests, sizes.growthRequests, async (store, amount) => {
      const burst = { requests: reads.get(store)![operation]!, status: 200, amount, connections: CONNECTIONS };
      return (await measure(load, store.server, burst, database)).cost;
    });
    add(operation, costs);
  }
  const windows = await measureWindows(name, stores, load, database);
  // Last: the reads above found exactly as many bookings as they say.
  const creates = Math.ceil(sizes.growthCreates / 3);
  const costs = await mediansInTurns(stores, creates, sizes.growthCreates, async (store, amount) => {
    const { payloads, nextNumber: firstNumber } = store;
    const requests: Requests = { method: 'POST', path: BOOKINGS_PATH, payloads, firstNumber };
    const burst = { requests, status: 201, amount, connections: CONNECTIONS };
    const { cost, nextNumber } = await measure(load, store.server, burst, database);
    store.nextNumber = nextNumber;
    return cost;
  });
  add('create', costs);
  for (const store of stores) await store.remove();
  return { rows, windows };
}

/**
 * Creates that are rejected, as many for either store. The big one was filled by far more requests:
 * without these the small one would run code that is not optimised yet, and growth would look better than it is.
 *
 * They are for slots from all over the store: each process of PostgreSQL pays for its first access to
 * a page of the shared cache, which is a part of a cold start (6 page faults a create with a million bookings).
 */
async function warmUp({ server, bookings, payloads }: FilledStore, load: LoadGenerator): Promise<void> {
  const inTurn = Array.from({ length: sizes.growthWarmUp }, (_, index) => ({
    path: BOOKINGS_PATH,
    body: payloadOf(Math.floor((index * bookings) / sizes.growthWarmUp), payloads),
  }));
  const requests: Requests = { method: 'POST', inTurn };
  await load.burst({ url: server.url, requests, status: 409, amount: inTurn.length, connections: CONNECTIONS });
}

async function readsOf(store: FilledStore): Promise<Record<string, Requests>> {
  const get = (...paths: string[]): Requests => ({
    method: 'GET',
    inTurn: paths.map((path): FixedRequest => ({ path: BOOKINGS_PATH + path })),
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
    const response = await fetch(server.url + BOOKINGS_PATH + query);
    const { next_cursor } = (await response.json()) as { next_cursor: string };
    query = `${first}&cursor=${encodeURIComponent(next_cursor)}`;
  }
  return query;
}
