import type { Database } from '../database/database.js';
import { prepared } from '../database/statement.js';
import { Counters, type Used, Windows } from './counters.js';

/** Milliseconds to wait for the database: one that hangs must not hold up every request. */
const TIMEOUT = 250;

/** Milliseconds between two deletions of windows that ended. */
const CLEANING_INTERVAL = 300_000;

// The clock of the database alone, which replicas share.
const NOW = '(extract(epoch FROM now()) * 1000)::bigint';
// A window that ends later than a new one would is from before the clock was set back.
const RUNS = `held.expire > ${NOW} AND held.expire <= ${NOW} + $2::bigint`;

const COUNT = prepared(`
  INSERT INTO rate_limits AS held (key, points, expire) VALUES ($1, 1, ${NOW} + $2::bigint)
  ON CONFLICT (key) DO UPDATE SET
    points = CASE WHEN ${RUNS} THEN held.points + 1 ELSE 1 END,
    expire = CASE WHEN ${RUNS} THEN held.expire ELSE ${NOW} + $2::bigint END
  RETURNING points AS requests, (expire - ${NOW})::integer AS left_ms`);

const CLEAN = { text: `DELETE FROM rate_limits WHERE expire < ${NOW}` };

/** The counters of all replicas that share a database. */
export class SharedCounters extends Counters {
  /** Those over the limit are rejected from memory, so that a flood does not reach the database. */
  private readonly exceeded = new Windows();

  /** @param window its milliseconds */
  constructor(
    private readonly database: Database,
    private readonly limit: number,
    private readonly window: number,
  ) {
    super();
    setInterval(() => void database.run(CLEAN).catch(() => {}), CLEANING_INTERVAL).unref();
  }

  /** @throws Error if the database does not respond in time */
  override async count(caller: string): Promise<Used> {
    const exceeded = this.exceeded.get(caller);
    if (exceeded !== undefined) return { requests: exceeded.requests, left: exceeded.end - performance.now() };
    const { rows } = await within(TIMEOUT, this.database.run(COUNT, [caller, this.window]));
    const { requests, left_ms: left } = rows[0] as { requests: number; left_ms: number };
    if (requests > this.limit) this.exceeded.open(caller, requests, left);
    return { requests, left };
  }
}

/** @throws Error when `work` takes longer than so many milliseconds */
async function within<Result>(timeout: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${timeout} ms`)), timeout);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
