import { BOOKINGS_PATH, service } from './contenders.js';
import type { BenchDatabase } from './database.js';
import type { LoadGenerator } from './load.js';
import { BASE, detailsOf, HOUR, type PayloadPlan, RESOURCES, type SlotOrder, STRIDE } from './payloads.js';
import { say } from './progress.js';
import { Server } from './server.js';
import { CONNECTIONS, LARGE_DETAILS, POOL_SIZE } from './sizes.js';

/** The service with a number of bookings in it. */
export interface FilledStore {
  readonly server: Server;
  readonly bookings: number;
  readonly payloads: PayloadPlan;
  /** Some of the ids, spread over all bookings. */
  readonly ids: readonly string[];
  /** The number of the next payload that has a free slot. */
  nextNumber: number;
  /** Ends the service, and takes its bookings with it. */
  remove(): Promise<void>;
}

/** Ids that are requested, at most. */
const IDS = 10_000;
/** Well above the bookings of any run. */
const MEMORY_CEILING = 4_000_000;
/** Bookings after which filling says how far it is. */
const STEP = 100_000;

const probe = new URL('heap-probe.js', import.meta.url).href;

/** Fills the service in memory through HTTP: there is no other way in. */
export async function fillMemory(load: LoadGenerator, bookings: number, order: SlotOrder): Promise<FilledStore> {
  const server = await Server.start({
    // The same for every size: room for the bookings, and a way to read how much is in use.
    args: ['--max-old-space-size=8192', '--expose-gc', `--import=${probe}`, service],
    env: { MEMORY_MAX_BOOKINGS: String(MEMORY_CEILING) },
  });
  const payloads: PayloadPlan = { order, cells: bookings, detailBytes: LARGE_DETAILS };
  const ids: string[] = [];
  for (let filled = 0; filled < bookings;) {
    const amount = Math.min(STEP, bookings - filled);
    const burst = await load.burst({
      url: server.url,
      requests: { method: 'POST', path: BOOKINGS_PATH, payloads, firstNumber: filled },
      status: 201,
      amount,
      connections: CONNECTIONS,
      idEvery: Math.ceil(bookings / IDS),
    });
    ids.push(...burst.ids);
    filled += amount;
    say(`memory filled with ${filled} bookings (${order}), ${(amount / burst.seconds).toFixed(0)} a second`);
  }
  return { server, bookings, payloads, ids, nextNumber: bookings, remove: () => server.stop() };
}

/** Fills a database by SQL, row by row through all constraints and indexes, and starts the service on it. */
export async function fillPostgres(database: BenchDatabase, bookings: number, order: SlotOrder): Promise<FilledStore> {
  const name = `growth_${order}_${bookings}`;
  const env = { DATABASE_URL: await database.url(name), DATABASE_POOL_SIZE: String(POOL_SIZE) };
  const server = await Server.start({ args: [service], env });
  for (let filled = 0; filled < bookings; filled += STEP) {
    const count = Math.min(STEP, bookings - filled);
    await database.query(name, insertion(order, bookings, filled, count));
    say(`PostgreSQL filled with ${filled + count} bookings (${order})`);
  }
  const rows = await database.query(
    name,
    'VACUUM (ANALYZE) bookings',
    `SELECT booking_id FROM bookings ORDER BY random() LIMIT ${IDS}`,
  );
  const payloads: PayloadPlan = { order, cells: bookings, detailBytes: LARGE_DETAILS };
  const ids = rows.map((row) => String(row['booking_id']));
  const remove = async (): Promise<void> => {
    await server.stop();
    await database.drop(name);
  };
  return { server, bookings, payloads, ids, nextNumber: bookings, remove };
}

/** The rows of the payloads from `first` on; see `payloadOf`. */
function insertion(order: SlotOrder, cells: number, first: number, count: number): string {
  const cell = { ascending: 'number', descending: `${cells - 1} - number`, random: `number * ${STRIDE} % ${cells}` };
  const iso = (time: string) =>
    `to_char(to_timestamp((${time}) / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  const { guest, note } = detailsOf(LARGE_DETAILS);
  return `
    INSERT INTO bookings (booking_id, resource_id, slot_start, slot_end, json)
    SELECT id, resource, start, start + ${HOUR / 2}, format(
      '{"booking_id":"%s","created_at":"%s","slot":{"resource_id":"%s","start":"%s","end":"%s"},"guest":"${guest}","note":"${note}"}',
      id, ${iso('extract(epoch FROM uuid_extract_timestamp(id)) * 1000')}, resource, ${iso('start')}, ${iso(`start + ${HOUR / 2}`)})
    FROM (
      SELECT uuidv7() AS id, 'room-' || cell % ${RESOURCES} AS resource, ${BASE} + cell / ${RESOURCES} * ${HOUR} AS start
      FROM (SELECT ${cell[order]} AS cell FROM generate_series(${first}::bigint, ${first + count - 1}) AS number)
    )`;
}
