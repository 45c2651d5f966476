import { BOOKINGS_PATH } from './contenders.js';
import type { BenchDatabase } from './database.js';
import type { LoadGenerator } from './load.js';
import { type Cost, measure, total } from './measure.js';
import { BASE, HOUR, instant, RESOURCES, type SlotOrder } from './payloads.js';
import { say } from './progress.js';
import { CONNECTIONS, sizes } from './sizes.js';
import type { FilledStore } from './stores.js';
import { mediansInTurns } from './turns.js';

/** A page of a window over half of all bookings, in the order of the list without `sort`: the newest first. */
export interface WindowRow {
  /** The order of slots in which the bookings were made. */
  readonly made: SlotOrder;
  readonly window: string;
  readonly small: Cost;
  readonly big: Cost;
  /** How many times the first page without a window of the same store it takes, the larger of both stores. */
  readonly ratio: number;
}

/** Half of the time that slots are in: its beginning, its middle, its end. */
const windows: Record<string, (hours: number) => string> = {
  'first half (to)': (hours) => `to=${at(hours / 2)}`,
  'middle half (from, to)': (hours) => `from=${at(hours / 4)}&to=${at((3 * hours) / 4)}`,
  'second half (from)': (hours) => `from=${at(hours / 2)}`,
};

/** What the first and the last page of each window cost, with many bookings and with few. */
export async function measureWindows(
  store: string,
  [small, big]: readonly [FilledStore, FilledStore],
  load: LoadGenerator,
  database?: BenchDatabase,
): Promise<WindowRow[]> {
  const made = small.payloads.order!;
  const costsOf = (paths: ReadonlyMap<FilledStore, string>): Promise<Cost[]> =>
    mediansInTurns([small, big], Math.ceil(sizes.windowRequests / 4), sizes.windowRequests, async (of, amount) => {
      const requests = { method: 'GET', inTurn: [{ path: BOOKINGS_PATH + paths.get(of)! }] } as const;
      const burst = { requests, status: 200, amount, connections: CONNECTIONS };
      return (await measure(load, of.server, burst, database)).cost;
    });
  const whole = (await costsOf(new Map([small, big].map((of) => [of, ''])))).map(total) as [number, number];
  const rows: WindowRow[] = [];
  for (const [name, queryOf] of Object.entries(windows)) {
    for (const page of ['first', 'last'] as const) {
      const paths = new Map<FilledStore, string>();
      for (const of of [small, big]) {
        const query = `?${queryOf(of.bookings / RESOURCES)}`;
        paths.set(of, page === 'first' ? query : await lastPage(of, query));
      }
      const [ofSmall, ofBig] = (await costsOf(paths)) as [Cost, Cost];
      const ratio = Math.max(total(ofSmall) / whole[0], total(ofBig) / whole[1]);
      rows.push({ made, window: `${name}, ${page} page`, small: ofSmall, big: ofBig, ratio });
      say(`${store}, made ${made}, ${name}, ${page} page: ${ratio.toFixed(1)} times a page without a window`);
    }
  }
  return rows;
}

/** The query of the last page of a walk, by pages of 100 and, at the end, by those that are measured. */
async function lastPage({ server }: FilledStore, query: string): Promise<string> {
  let last = query;
  for (const limit of ['&limit=100', '']) {
    for (let next: string | null = ''; next !== null;) {
      if (next !== '') last = `${query}&cursor=${encodeURIComponent(next)}`;
      const response = await fetch(server.url + BOOKINGS_PATH + last + limit);
      if (response.status !== 200) throw new Error(`A page of a walk is ${response.status}: ${last}`);
      ({ next_cursor: next } = (await response.json()) as { next_cursor: string | null });
    }
  }
  return last;
}

function at(hours: number): string {
  return instant(BASE + Math.round(hours) * HOUR);
}
