import { crc32 } from 'node:zlib';
import type { Database } from '../../platform/database/database.js';
import {
  codeOf,
  DatabaseUnavailable,
  isRetryable,
  LOCK_NOT_AVAILABLE,
} from '../../platform/database/postgres-errors.js';
import type { Booking } from '../domain/booking.js';
import type { IdempotentCreate } from '../domain/bookings.repository.js';
import { CREATE, CREATE_GROUP, type Conflict } from './create-statements.js';

/** Rows of one statement, at most: as many locks as PostgreSQL has room for in each transaction by default. */
const MAX_ROWS = 64;

/** Characters of JSON in one statement, at most; a single row may have more. */
const MAX_CHARACTERS = 1_048_576;

/** Characters of JSON that wait, at most. Nest holds their payloads, which can take 20 times as much. */
const MAX_WAITING_CHARACTERS = 4 * MAX_CHARACTERS;

/** Statements at once. With two, each takes what gathers during the other, for the least CPU. */
const AT_ONCE = 2;

/** What became of a booking: it is kept now, or why it is not; undefined if only another statement can see why. */
export type Inserted = 'kept' | Conflict | undefined;

type InsertedRow = Conflict & { readonly is_kept: boolean };
type GroupedRow = InsertedRow & { readonly booking_id: string };

interface QueuedCreate {
  readonly booking: Booking;
  readonly idempotent: IdempotentCreate | undefined;
  /** Instant of `performance.now()`. The time limits run from here. */
  readonly enqueuedAt: number;
  readonly resolve: (inserted: Inserted) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Inserts bookings. Those that queue up while statements are under way share one statement: one commit, and one round
 * trip, for all of them. A booking that finds nothing under way, or one statement with a single row, is sent at once.
 *
 * No two groups wait for each other, of any replicas. Each locks its idempotency keys in ascending order, then
 * inserts its slots by resource and start. Slots that were inserted do not overlap, so the holder of what a group waits
 * for is itself waiting, if at all, for a later start. A single row holds nothing while it waits.
 */
export class CreateGroups {
  private readonly queue: QueuedCreate[] = [];
  private waitingCharacters = 0;
  private readonly atOnce: number;
  private statements = 0;
  private rowsUnderWay = 0;

  constructor(private readonly database: Pick<Database, 'write' | 'writers' | 'acquireTimeout' | 'lockTimeout'>) {
    this.atOnce = Math.min(AT_ONCE, database.writers);
  }

  /** Creates that wait for their statement to begin. */
  get size(): number {
    return this.queue.length;
  }

  /**
   * @returns whether the booking is kept now, or its conflict
   * @throws DatabaseUnavailable; the booking may have been kept nevertheless
   */
  insert(booking: Booking, idempotent: IdempotentCreate | undefined): Promise<Inserted> {
    return new Promise((resolve, reject) => {
      if (this.waitingCharacters + booking.json.length > MAX_WAITING_CHARACTERS) {
        throw new DatabaseUnavailable('Too many creates wait for the database.');
      }
      this.waitingCharacters += booking.json.length;
      this.queue.push({ booking, idempotent, enqueuedAt: performance.now(), resolve, reject });
      this.begin();
    });
  }

  /**
   * The same at once, in a separate statement.
   *
   * @param requestedAt instant of `performance.now()` from which on the time limits run
   */
  async insertAlone(
    { bookingId, slot, json }: Booking,
    idempotent: IdempotentCreate | undefined,
    requestedAt: number,
  ): Promise<Inserted> {
    const { key, fingerprint } = idempotent ?? {};
    const { lockTimeout } = this.database;
    const values = [bookingId, slot?.resourceId, slot?.start, slot?.end, json, key, fingerprint, lockTimeout];
    const { rows } = await this.database.write<InsertedRow>(CREATE, values, requestedAt);
    return insertedOf(rows[0]);
  }

  private begin(): void {
    while (this.queue.length > 0 && this.mayBegin()) void this.send(this.takeGroup());
  }

  /** The second of two begins once as many are queued as the first has, or it would always have a single row. */
  private mayBegin(): boolean {
    return this.statements < this.atOnce && this.queue.length >= this.rowsUnderWay;
  }

  private takeGroup(): QueuedCreate[] {
    // An even share, so that the two statements have about as many rows.
    const most = Math.min(Math.ceil((this.queue.length + this.rowsUnderWay) / this.atOnce), MAX_ROWS);
    let rows = 0;
    for (let characters = 0; rows < most; rows++) {
      characters += this.queue[rows]!.booking.json.length;
      if (characters > MAX_CHARACTERS && rows > 0) break;
    }
    return this.take(rows);
  }

  private take(count: number): QueuedCreate[] {
    const taken = this.queue.splice(0, count);
    for (const { booking } of taken) this.waitingCharacters -= booking.json.length;
    return taken;
  }

  private async send(group: readonly QueuedCreate[]): Promise<void> {
    this.statements++;
    this.rowsUnderWay += group.length;
    if (group.length === 1) await this.sendAlone(group[0]!);
    else await this.sendTogether(group.toSorted(byResourceAndStart));
    this.statements--;
    this.rowsUnderWay -= group.length;
    this.rejectLate();
    this.begin();
  }

  private sendAlone({ booking, idempotent, enqueuedAt, resolve, reject }: QueuedCreate): Promise<void> {
    return this.insertAlone(booking, idempotent, enqueuedAt).then(resolve, reject);
  }

  private async sendTogether(group: readonly QueuedCreate[]): Promise<void> {
    const enqueuedAt = Math.min(...group.map((one) => one.enqueuedAt));
    const values = [...valuesOf(group), this.database.lockTimeout];
    try {
      const { rows } = await this.database.write<GroupedRow>(CREATE_GROUP, values, enqueuedAt);
      const byId = new Map(rows.map((row) => [row.booking_id, row]));
      for (const { booking, resolve } of group) resolve(insertedOf(byId.get(booking.bookingId)));
    } catch (error) {
      // If the outcome is unknown, a row that is sent again could conflict with itself.
      if (isUndone(error)) await Promise.all(group.map((create) => this.sendAlone(create)));
      else for (const { reject } of group) reject(error);
    }
  }

  /**
   * Rejects creates that have waited too long. No statement has them. Called at the end of a statement: all that are
   * under way are older than those that wait, so they end within the time limits of these.
   */
  private rejectLate(): void {
    const longAgo = performance.now() - this.database.acquireTimeout;
    const inTime = this.queue.findIndex(({ enqueuedAt }) => enqueuedAt > longAgo);
    for (const { reject } of this.take(inTime === -1 ? this.queue.length : inTime)) {
      reject(new DatabaseUnavailable('The service cannot use its database now.'));
    }
  }
}

function insertedOf(row: InsertedRow | undefined): Inserted {
  return row?.is_kept ? 'kept' : row;
}

/** Whether the database reported that it kept nothing of a statement, which a single row may have caused. */
function isUndone(error: unknown): boolean {
  return (
    !(error instanceof DatabaseUnavailable) || isRetryable(error.cause) || codeOf(error.cause) === LOCK_NOT_AVAILABLE
  );
}

/** Any order will do, as long as every replica has the same. */
function byResourceAndStart(first: QueuedCreate, second: QueuedCreate): number {
  const [one, other] = [first.booking.slot, second.booking.slot];
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined);
  if (one.resourceId !== other.resourceId) return one.resourceId < other.resourceId ? -1 : 1;
  return one.start - other.start;
}

function valuesOf(group: readonly QueuedCreate[]): unknown[] {
  const keys = group.flatMap(({ idempotent }) => idempotent?.key ?? []);
  const locks = new Set(keys.map((key) => crc32(key) | 0));
  return [
    group.map(({ booking }) => booking.bookingId),
    group.map(({ booking }) => booking.slot?.resourceId ?? ''),
    group.map(({ booking }) => booking.slot?.start ?? 0),
    group.map(({ booking }) => booking.slot?.end ?? 0),
    group.map(({ booking }) => booking.json).join('\n'),
    group.map(({ idempotent }) => idempotent?.key ?? ''),
    group.map(({ idempotent }) => idempotent?.fingerprint ?? ''),
    [...locks].toSorted((one, other) => one - other),
  ];
}
