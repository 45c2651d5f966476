import { TcpProxy } from 'testing';
import { checkAll } from '../checks/check-all.js';
import type { CrashablePostgres } from './crashable-postgres.js';
import { History, type KeptBooking } from '../checks/history.js';
import type { Random } from '../random.js';
import { RecordingClient } from './recording-client.js';
import { Replica, untilReady } from './replica.js';
import type { Violations } from '../checks/violations.js';

/** What the scenarios share. */
export interface Bench {
  readonly postgres: CrashablePostgres;
  readonly random: Random;
  /** Prints the progress of a scenario. */
  say(line: string): void;
}

/** Bookings that are read back through the service; the database is compared with all of them. */
const MOST_READ_BACK = 3_000;

let databases = 0;

/** Replicas of the service on their own database, and every call to them since {@link clear}. */
export class Deployment {
  history = new History();
  client = new RecordingClient(this.history);

  private constructor(
    readonly bench: Bench,
    readonly database: string,
    readonly replicas: readonly Replica[],
    private readonly databaseProxy: TcpProxy | undefined,
  ) {}

  /** @param options `behindProxy` puts a proxy between the service and PostgreSQL; `env` are further variables */
  static async start(
    bench: Bench,
    replicas: number,
    { behindProxy = false, env: further = {} }: { behindProxy?: boolean; env?: Record<string, string> } = {},
  ): Promise<Deployment> {
    const { postgres } = bench;
    const database = `torture_${++databases}`;
    await postgres.createDatabase(database);
    const proxy = behindProxy ? await TcpProxy.start(postgres.port) : undefined;
    const env = { DATABASE_URL: postgres.url(database, proxy?.port), ...further };
    const started = await Promise.all(Array.from({ length: replicas }, () => Replica.start(env)));
    const deployment = new Deployment(bench, database, started, proxy);
    if ((await untilReady(started)) < Number.POSITIVE_INFINITY) return deployment;
    await deployment.stop();
    throw new Error('The replicas are not ready.');
  }

  get urls(): string[] {
    return this.replicas.map(({ url }) => url);
  }

  /** The proxy between the service and PostgreSQL, of a deployment that has one. */
  get proxy(): TcpProxy {
    if (this.databaseProxy === undefined) throw new Error('This deployment has no proxy before its database.');
    return this.databaseProxy;
  }

  query<Row>(text: string, values?: unknown[]): Promise<Row[]> {
    return this.bench.postgres.query<Row>(this.database, text, values);
  }

  /** Forgets all bookings and all calls. */
  async clear(): Promise<void> {
    await this.bench.postgres.untilIdle();
    await this.query('TRUNCATE bookings');
    this.client.close();
    this.history = new History();
    this.client = new RecordingClient(this.history);
  }

  async rows(): Promise<KeptBooking[]> {
    await this.bench.postgres.untilIdle();
    return rowsOf((text) => this.query(text));
  }

  /**
   * Reads everything back, and runs all checks on every call.
   *
   * @param deleted bookings that were deleted, as they were
   */
  async check(deleted: readonly KeptBooking[] = []): Promise<Violations> {
    const gone = new Set(deleted.map(({ bookingId }) => bookingId));
    const acknowledged = new Set(this.history.acknowledged().map(({ bookingId }) => bookingId));
    const ids = [...acknowledged].filter((id) => !gone.has(id)).slice(-MOST_READ_BACK);
    const { urls } = this;
    const unread: Violations = [];
    const readers = Array.from({ length: 16 }, async (_, reader) => {
      for (let index = reader; index < ids.length; index += 16) {
        const { response } = await this.client.get(urls[index % urls.length]!, ids[index]!);
        if (response?.status !== 200) unread.push(`C2: ${ids[index]} cannot be read back: ${response?.status}.`);
      }
    });
    await Promise.all(readers);
    const faults = this.replicas.flatMap((replica) => replica.faults);
    return [...faults, ...unread, ...checkAll(this.history, [...(await this.rows()), ...deleted])];
  }

  async stop(): Promise<void> {
    this.client.close();
    await Promise.all(this.replicas.map((replica) => replica.stop(2_000).catch(() => {})));
    this.databaseProxy?.close();
  }
}

/** Every booking that a database holds. */
export async function rowsOf(query: <Row>(text: string) => Promise<Row[]>): Promise<KeptBooking[]> {
  const rows = await query<Record<'id' | 'json', string> & Record<'room' | 'from' | 'to' | 'key', string | null>>(
    `SELECT booking_id AS id, resource_id AS room, slot_start AS from, slot_end AS to, idempotency_key AS key, json FROM bookings`,
  );
  return rows.map(({ id, room, from, to, key, json }) => ({
    bookingId: id,
    resourceId: room,
    start: Number(from),
    end: Number(to),
    key,
    json,
  }));
}
