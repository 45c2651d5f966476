import { crc32 } from 'node:zlib';
import type { Database } from '../../platform/database/database.js';
import { DatabaseUnavailable, isRolledBack } from '../../platform/database/postgres-errors.js';
import type { Moment } from '../../platform/moment.js';
import type { Booking } from '../domain/booking.js';
import type { IdempotentCreate } from '../domain/bookings.repository.js';
import { CREATE, CREATE_GROUP, type Conflict, type GroupValues } from './create-statements.js';

/** Maximum rows of one statement: each may lock a key, and the default of `max_locks_per_transaction` is 64. */
const MAX_ROWS = 64;

/** Maximum characters of JSON in one statement of several rows. */
const MAX_CHARACTERS = 1_048_576;

/**
 * Maximum characters of JSON in all waiting creates. Their parsed payloads, kept meanwhile, can take 20 times as many
 * bytes.
 */
const MAX_WAITING_CHARACTERS = 4 * MAX_CHARACTERS;

/** Maximum groups under way: while one is under way, creates gather for the other. */
const AT_ONCE = 2;

/** An unseen conflict was committed while the statement waited, so only a later statement sees it. */
export type Inserted = 'kept' | 'unseen conflict' | Conflict;

/** The row of a booking that was kept or whose conflict was seen; only a group's rows have a `booking_id`. */
type InsertedRow = Conflict & { readonly is_kept: boolean; readonly booking_id?: string };

interface OpenCreate {
  readonly booking: Booking;
  readonly idempotent: IdempotentCreate | undefined;
  /** When the time limits of the create begin. */
  readonly enqueuedAt: Moment;
  readonly resolve: (inserted: Inserted) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Inserts bookings. Creates that arrive while statements are under way share the next statement: one commit, one round
 * trip. A create begins at once if nothing is under way or, with several connections for writes, only a single row.
 *
 *     waiting ──> under way alone ──────────────────────> decided: kept, in conflict, failed, or outcome unknown
 *      │  │                ↑ the database kept nothing     ↑
 *      │  └───────> under way in a group ─────────────────┘
 *      └──────────> rejected: waited too long
 *
 * Groups never deadlock, not even across replicas: each locks its keys in ascending order, then inserts its slots by
 * resource and start. A group that another group waits for can itself wait only for what comes later in this order. A
 * single row holds nothing while it waits.
 */
export class CreateGroups {
  private readonly waiting: OpenCreate[] = [];
  private waitingCharacters = 0;
  private readonly underWay = new Set<readonly OpenCreate[]>();
  private readonly atOnce: number;

  constructor(private readonly database: Pick<Database, 'write' | 'writers' | 'acquireTimeout' | 'lockTimeout'>) {
    this.atOnce = Math.min(AT_ONCE, database.writers);
  }

  get size(): number {
    return this.waiting.length;
  }

  /** @throws DatabaseUnavailable; the booking may still have been kept */
  insert(booking: Booking, idempotent: IdempotentCreate | undefined): Promise<Inserted> {
    return new Promise((resolve, reject) => {
      if (this.waitingCharacters + booking.json.length > MAX_WAITING_CHARACTERS) {
        throw new DatabaseUnavailable('Too many creates wait for the database.');
      }
      this.waitingCharacters += booking.json.length;
      this.waiting.push({ booking, idempotent, enqueuedAt: performance.now(), resolve, reject });
      this.begin();
    });
  }

  /** Inserts one booking at once, without a group. @param requestedAt when the time limits begin */
  async insertAlone(
    { bookingId, slot, json }: Booking,
    idempotent: IdempotentCreate | undefined,
    requestedAt: Moment,
  ): Promise<Inserted> {
    const { lockTimeout } = this.database;
    const statement = CREATE.with({ bookingId, json, lockTimeout, ...slot, ...idempotent });
    const { rows } = await this.database.write<InsertedRow>(...statement, requestedAt);
    return insertedOf(rows[0]);
  }

  private begin(): void {
    while (this.waiting.length > 0 && this.mayBegin()) void this.run(this.takeGroup());
  }

  /**
   * A second statement begins only once as many creates wait as the first has rows. Otherwise the next create to arrive
   * would begin it alone, instead of sharing it.
   */
  private mayBegin(): boolean {
    return this.underWay.size < this.atOnce && this.waiting.length >= this.rowsUnderWay;
  }

  private get rowsUnderWay(): number {
    return [...this.underWay].reduce((rows, { length }) => rows + length, 0);
  }

  private takeGroup(): OpenCreate[] {
    // An even share, so that both statements have about the same number of rows. `mayBegin` ensures that enough wait.
    const maxRows = Math.min(Math.ceil((this.waiting.length + this.rowsUnderWay) / this.atOnce), MAX_ROWS);
    let rows = 0;
    for (let characters = 0; rows < maxRows; rows++) {
      characters += this.waiting[rows]!.booking.json.length;
      if (characters > MAX_CHARACTERS && rows > 0) break;
    }
    return this.take(rows);
  }

  private take(count: number): OpenCreate[] {
    const taken = this.waiting.splice(0, count);
    for (const { booking } of taken) this.waitingCharacters -= booking.json.length;
    return taken;
  }

  /** Settles every create of the group, whatever is thrown. */
  private async run(group: readonly OpenCreate[]): Promise<void> {
    this.underWay.add(group);
    await this.send(group).catch((error: unknown) => {
      for (const { reject } of group) reject(error);
    });
    this.underWay.delete(group);
    this.rejectTimedOut();
    this.begin();
  }

  private async send(group: readonly OpenCreate[]): Promise<void> {
    try {
      if (group.length > 1) return await this.sendTogether(group.toSorted(byResourceAndStart));
    } catch (error) {
      // A row that is sent again after an unknown outcome could conflict with itself.
      if (!isRolledBack(error)) throw error;
    }
    await Promise.all(group.map((create) => this.sendAlone(create)));
  }

  private async sendTogether(group: readonly OpenCreate[]): Promise<void> {
    const enqueuedAt = Math.min(...group.map((one) => one.enqueuedAt));
    const statement = CREATE_GROUP.with(valuesOf(group, this.database.lockTimeout));
    const { rows } = await this.database.write<InsertedRow>(...statement, enqueuedAt);
    const byId = new Map(rows.map((row) => [row.booking_id, row]));
    for (const { booking, resolve } of group) resolve(insertedOf(byId.get(booking.bookingId)));
  }

  private sendAlone({ booking, idempotent, enqueuedAt, resolve, reject }: OpenCreate): Promise<void> {
    return this.insertAlone(booking, idempotent, enqueuedAt).then(resolve, reject);
  }

  private rejectTimedOut(): void {
    const longAgo = performance.now() - this.database.acquireTimeout;
    const inTime = this.waiting.findIndex(({ enqueuedAt }) => enqueuedAt > longAgo);
    for (const { reject } of this.take(inTime === -1 ? this.waiting.length : inTime)) {
      reject(new DatabaseUnavailable('The service cannot use its database now.'));
    }
  }
}

function insertedOf(row: InsertedRow | undefined): Inserted {
  if (row === undefined) return 'unseen conflict';
  return row.is_kept ? 'kept' : row;
}

/**
 * Orders slots by start within a resource: otherwise groups could deadlock (see {@link CreateGroups}). Any order of the
 * resources will do, as long as all replicas share it.
 */
function byResourceAndStart(first: OpenCreate, second: OpenCreate): number {
  const one = first.booking.slot;
  const other = second.booking.slot;
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined);
  if (one.resourceId !== other.resourceId) return one.resourceId < other.resourceId ? -1 : 1;
  return one.start - other.start;
}

function valuesOf(group: readonly OpenCreate[], lockTimeout: number): GroupValues {
  const keys = group.flatMap(({ idempotent }) => idempotent?.key ?? []);
  const locks = new Set(keys.map((key) => crc32(key) | 0));
  return {
    ids: group.map(({ booking }) => booking.bookingId),
    resources: group.map(({ booking }) => booking.slot?.resourceId ?? ''),
    starts: group.map(({ booking }) => booking.slot?.start ?? 0),
    ends: group.map(({ booking }) => booking.slot?.end ?? 0),
    jsons: group.map(({ booking }) => booking.json).join('\n'),
    keys: group.map(({ idempotent }) => idempotent?.key ?? ''),
    fingerprints: group.map(({ idempotent }) => idempotent?.fingerprint ?? ''),
    locks: [...locks].toSorted((one, other) => one - other),
    lockTimeout,
  };
}
