import { TcpProxy } from 'testing';
import { checkDurability, checkSlotsNeverOverlap, slotsOfAcknowledged, slotsOfRows } from '../checks/check-bookings.js';
import { checkIdempotency, checkRejections } from '../checks/check-creates.js';
import { checkRecency, checkWalks } from '../checks/check-reads.js';
import { checkResponses } from '../checks/check-responses.js';
import { type CrashablePostgres, SERVICE_ROLE } from './crashable-postgres.js';
import { type CreateCall, History, type KeptBooking, type Payload, type Violations } from '../checks/history.js';
import { isLong } from '../limits.js';
import type { Random } from '../random.js';
import { RecordingClient } from './recording-client.js';
import { Replica, untilReady } from './replica.js';

/** The parts that scenarios share. */
export interface Bench {
  readonly postgres: CrashablePostgres;
  readonly random: Random;
}

/** Bookings that are read back through the service; the database is compared with all of them. */
const MOST_READ_BACK = 3_000;
const READERS = 16;

const SETTINGS = {
  // Otherwise the service may close a connection just as a client uses it (RFC 9112 §9.3.1).
  KEEP_ALIVE_TIMEOUT_MS: '600000',
  // Timeouts are judged in the long form.
  ...(!isLong && { DATABASE_CONNECT_TIMEOUT_MS: '5000', DATABASE_STATEMENT_TIMEOUT_MS: '5000' }),
};

const ROWS = `SELECT booking_id AS "bookingId", resource_id AS "resourceId", slot_start::float AS start,
  slot_end::float AS end, idempotency_key AS key, json FROM bookings`;

let databases = 0;

/** Replicas of the service on a database of their own, and every call to them since {@link clear}. */
export class Deployment {
  history = new History();
  client = new RecordingClient(this.history);

  private constructor(
    readonly bench: Bench,
    readonly database: string,
    /** The server, or what is the server after a failover. */
    public postgres: CrashablePostgres,
    /** Between the service and PostgreSQL. */
    readonly proxy: TcpProxy,
    readonly replicas: readonly Replica[],
  ) {}

  /** @param env further variables of the service */
  static async start(bench: Bench, replicas: number, env: Record<string, string> = {}): Promise<Deployment> {
    const { postgres } = bench;
    const database = `torture_${++databases}`;
    await postgres.createDatabase(database);
    const proxy = await TcpProxy.start(postgres.port);
    const url = `postgres://${SERVICE_ROLE}@127.0.0.1:${proxy.port}/${database}`;
    const started = await Promise.all(
      Array.from({ length: replicas }, () => Replica.start({ ...SETTINGS, DATABASE_URL: url, ...env })),
    );
    const deployment = new Deployment(bench, database, postgres, proxy, started);
    await untilReady(started);
    return deployment;
  }

  get urls(): string[] {
    return this.replicas.map(({ url }) => url);
  }

  /** The base URL of a replica, by turns. */
  url(turn: number): string {
    return this.replicas[turn % this.replicas.length]!.url;
  }

  /** Creates at the same time, each at the next replica. */
  createAtOnce(clients: number, payloadOf: (client: number) => Payload, key?: string): Promise<CreateCall[]> {
    const create = (_: unknown, index: number) => this.client.create(this.url(index), payloadOf(index), key);
    return Promise.all(Array.from({ length: clients }, create));
  }

  query<Row>(text: string, values?: unknown[]): Promise<Row[]> {
    return this.postgres.query<Row>(this.database, text, values);
  }

  /** Forgets all bookings and all calls. */
  async clear(): Promise<void> {
    await this.postgres.untilIdle();
    await this.query('TRUNCATE bookings');
    this.client.close();
    this.history = new History();
    this.client = new RecordingClient(this.history);
  }

  /** Every booking that the database holds, or the one with this id. */
  async rows(bookingId?: string): Promise<KeptBooking[]> {
    if (bookingId !== undefined) return this.query(`${ROWS} WHERE booking_id = $1`, [bookingId]);
    await this.postgres.untilIdle();
    return this.query(ROWS);
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
    const unread: Violations = [];
    const readers = Array.from({ length: READERS }, async (_, reader) => {
      for (let index = reader; index < ids.length; index += READERS) {
        const { response } = await this.client.get(this.url(index), ids[index]!);
        if (response?.status !== 200) unread.push(`C2: ${ids[index]} cannot be read back: ${response?.status}.`);
      }
    });
    await Promise.all(readers);
    const { history, replicas } = this;
    const rows = [...(await this.rows()), ...deleted];
    return [
      ...replicas.flatMap(({ faults }) => faults),
      ...unread,
      ...checkSlotsNeverOverlap(slotsOfAcknowledged(history)),
      ...checkSlotsNeverOverlap(slotsOfRows(rows)),
      ...checkDurability(history, rows),
      ...checkRecency(history),
      ...checkRejections(history),
      ...checkIdempotency(history, rows),
      ...checkWalks(history),
      ...checkResponses(history),
    ];
  }

  async stop(): Promise<void> {
    this.client.close();
    await Promise.all(this.replicas.map((replica) => replica.stop('SIGKILL').catch(() => {})));
    this.proxy.close();
  }
}
