import { ServiceProcess, TcpProxy, until } from 'testing';
import { atOnce } from '../at-once.js';
import { checkDurability, checkSlotsNeverOverlap, slotsOf } from '../checks/check-bookings.js';
import { checkIdempotency, checkRejections } from '../checks/check-creates.js';
import { checkRecency, checkWalks } from '../checks/check-reads.js';
import { checkResponses } from '../checks/check-responses.js';
import { type CreateCall, History, type KeptBooking, type Payload, type Violations } from '../checks/history.js';
import { isLong } from '../limits.js';
import type { Random } from '../random.js';
import { type CrashablePostgres, SERVICE_ROLE } from './crashable-postgres.js';
import { RecordingClient } from './recording-client.js';

export interface Bench {
  readonly postgres: CrashablePostgres;
  readonly random: Random;
}

/** Maximum bookings that are read back through the service; all are compared with the rows. */
const MAX_READ_BACK = 3_000;
const READERS = 16;

const SETTINGS = {
  // Long time limits: `pnpm test` does not judge them.
  ...(!isLong && { DATABASE_CONNECT_TIMEOUT_MS: '5000', DATABASE_STATEMENT_TIMEOUT_MS: '5000' }),
};

const ROWS = `SELECT booking_id AS "bookingId", resource_id AS "resourceId", slot_start::float AS start,
  slot_end::float AS end, idempotency_key AS key, json FROM bookings`;

let databases = 0;

/** Replicas of the service, their database, and every call since {@link clear}. */
export class Deployment {
  history = new History();
  client = new RecordingClient(this.history);

  private constructor(
    readonly bench: Bench,
    readonly database: string,
    public postgres: CrashablePostgres,
    /** The proxy in front of PostgreSQL. */
    readonly proxy: TcpProxy,
    readonly replicas: readonly ServiceProcess[],
  ) {}

  static async start(bench: Bench, replicas: number, env: Record<string, string> = {}): Promise<Deployment> {
    const { postgres } = bench;
    const database = `torture_${++databases}`;
    await postgres.createDatabase(database);
    const proxy = await TcpProxy.start(postgres.port);
    const url = `postgres://${SERVICE_ROLE}@127.0.0.1:${proxy.port}/${database}`;
    const started = await atOnce(replicas, () => ServiceProcess.start({ ...SETTINGS, DATABASE_URL: url, ...env }));
    const deployment = new Deployment(bench, database, postgres, proxy, started);
    await deployment.untilReady();
    return deployment;
  }

  get urls(): string[] {
    return this.replicas.map(({ url }) => url);
  }

  url(turn: number): string {
    return this.replicas[turn % this.replicas.length]!.url;
  }

  /** Waits until every replica is ready. @returns the milliseconds that it took */
  untilReady(): Promise<number> {
    return until(async () => {
      const responses = await Promise.all(this.urls.map((url) => fetch(`${url}/health/ready`)));
      return responses.every(({ ok }) => ok);
    });
  }

  createAtOnce(clients: number, payloadOf: (client: number) => Payload, key?: string): Promise<CreateCall[]> {
    return atOnce(clients, (index) => this.client.create(this.url(index), payloadOf(index), key));
  }

  query<Row>(text: string, values?: unknown[]): Promise<Row[]> {
    return this.postgres.query<Row>(this.database, text, values);
  }

  async clear(): Promise<void> {
    await this.postgres.untilIdle();
    await this.query('TRUNCATE bookings');
    this.client.close();
    this.history = new History();
    this.client = new RecordingClient(this.history);
  }

  async rows(bookingId?: string): Promise<KeptBooking[]> {
    if (bookingId !== undefined) return this.query(`${ROWS} WHERE booking_id = $1`, [bookingId]);
    await this.postgres.untilIdle();
    return this.query(ROWS);
  }

  /** Reads the bookings back, and runs all checks. @param deleted bookings as they were before their deletion */
  async check(deleted: readonly KeptBooking[] = []): Promise<Violations> {
    const gone = new Set(deleted.map(({ bookingId }) => bookingId));
    const ids = [...this.history.bookings.keys()].filter((id) => !gone.has(id)).slice(-MAX_READ_BACK);
    const unread: Violations = [];
    await atOnce(READERS, async (reader) => {
      for (let index = reader; index < ids.length; index += READERS) {
        const { response } = await this.client.get(this.url(index), ids[index]!);
        if (response?.status !== 200) unread.push(`C2: ${ids[index]} cannot be read back: ${response?.status}.`);
      }
    });
    const { history, replicas } = this;
    const rows = [...(await this.rows()), ...deleted];
    return [
      ...replicas.flatMap(endOf),
      ...unread,
      ...checkSlotsNeverOverlap(slotsOf(history)),
      ...checkSlotsNeverOverlap(rows),
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
    await Promise.all(this.replicas.map((replica) => replica.stop('SIGKILL')));
    this.proxy.close();
  }
}

/** A violation if a process that should be running has ended. */
export function endOf({ child, output, stderr }: ServiceProcess): Violations {
  const end = child.exitCode ?? child.signalCode;
  return end === null ? [] : [`The service ended with ${end}: ${[...output.slice(-10), stderr].join('\n')}`];
}
