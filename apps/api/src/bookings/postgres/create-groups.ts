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

/** Characters of JSON that wait, at most: Nest holds their payloads, which can take 20 times as much. */
const MAX_WAITING_CHARACTERS = 4 * MAX_CHARACTERS;

/** Statements at once. With two, each takes what gathers during the other, for the least CPU. */
const AT_ONCE = 2;

/** What became of a booking: it is kept now, or why it is not; undefined if only another statement can see why. */
export type Inserted = 'kept' | Conflict | undefined;
type InsertedRow = Conflict & { readonly is_kept: boolean };
type GroupedRow = InsertedRow & { readonly booking_id: string };

/** A create until it is decided. */
interface OpenCreate {
  readonly booking: Booking;
  readonly idempotent: IdempotentCreate | undefined;
  /** Instant of `performance.now()`. The time limits run from here. */
  readonly enqueuedAt: number;
  readonly resolve: (inserted: Inserted) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Inserts bookings. Creates that gather while statements are under way share one statement: one commit, and one round
 * trip, for all of them. A create that finds nothing under way, or one statement with a single row, begins at once.
 *
 *     waiting ──> under way alone ──────────────────────> decided: kept, in conflict, or of an unknown outcome
 *      │  │                ↑ the database kept nothing     ↑
 *      │  └───────> under way in a group ─────────────────┘
 *      └──────────> rejected: too late
 *
 * No two groups wait for each other, of any replicas. Each locks its idempotency keys in ascending order, then
 * inserts its slots by resource and start. Slots that were inserted do not overlap, so the holder of what a group waits
 * for is itself waiting, if at all, for a later start. A single row holds nothing while it waits.
 */
export class CreateGroups {
  private readonly waiting: OpenCreate[] = [];
  private waitingCharacters = 0;
  private readonly underWay = new Set<readonly OpenCreate[]>();
  private readonly atOnce: number;

  constructor(private readonly database: Pick<Database, 'write' | 'writers' | 'acquireTimeout' | 'lockTimeout'>) {
    this.atOnce = Math.min(AT_ONCE, database.writers);
  }

  /** Creates that wait for their statement to begin. */
  get size(): number {
    return this.waiting.length;
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
      this.waiting.push({ booking, idempotent, enqueuedAt: performance.now(), resolve, reject });
      this.begin();
    });
  }

  /** The same at once, alone. @param requestedAt instant of `performance.now()` from which on the time limits run */
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
    while (this.waiting.length > 0 && this.mayBegin()) void this.carryOut(this.takeGroup());
  }

  /** The second of two begins once as many wait as the first has, or it would always have a single row. */
  private mayBegin(): boolean {
    return this.underWay.size < this.atOnce && this.waiting.length >= this.rowsUnderWay;
  }

  private get rowsUnderWay(): number {
    return [...this.underWay].reduce((rows, { length }) => rows + length, 0);
  }

  private takeGroup(): OpenCreate[] {
    // An even share, so that the two statements have about as many rows.
    const most = Math.min(Math.ceil((this.waiting.length + this.rowsUnderWay) / this.atOnce), MAX_ROWS);
    let rows = 0;
    for (let characters = 0; rows < most; rows++) {
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

  /** Whatever is thrown, each create of the group is decided, and those that wait go on. */
  private async carryOut(group: readonly OpenCreate[]): Promise<void> {
    this.underWay.add(group);
    await this.send(group).catch((error: unknown) => {
      for (const { reject } of group) reject(error);
    });
    this.underWay.delete(group);
    this.rejectLate();
    this.begin();
  }

  private async send(group: readonly OpenCreate[]): Promise<void> {
    try {
      if (group.length > 1) return await this.sendTogether(group.toSorted(byResourceAndStart));
    } catch (error) {
      // If the outcome is unknown, a row that is sent again could conflict with itself.
      if (!isUndone(error)) throw error;
    }
    await Promise.all(group.map((create) => this.sendAlone(create)));
  }

  private async sendTogether(group: readonly OpenCreate[]): Promise<void> {
    const enqueuedAt = Math.min(...group.map((one) => one.enqueuedAt));
    const values = [...valuesOf(group), this.database.lockTimeout];
    const { rows } = await this.database.write<GroupedRow>(CREATE_GROUP, values, enqueuedAt);
    const byId = new Map(rows.map((row) => [row.booking_id, row]));
    for (const { booking, resolve } of group) resolve(insertedOf(byId.get(booking.bookingId)));
  }

  private sendAlone({ booking, idempotent, enqueuedAt, resolve, reject }: OpenCreate): Promise<void> {
    return this.insertAlone(booking, idempotent, enqueuedAt).then(resolve, reject);
  }

  /** Called at the end of a statement: all under way are older than those that wait, and end within their time limits. */
  private rejectLate(): void {
    const longAgo = performance.now() - this.database.acquireTimeout;
    const inTime = this.waiting.findIndex(({ enqueuedAt }) => enqueuedAt > longAgo);
    for (const { reject } of this.take(inTime === -1 ? this.waiting.length : inTime)) {
      reject(new DatabaseUnavailable('The service cannot use its database now.'));
    }
  }
}

function insertedOf(row: InsertedRow | undefined): Inserted {
  return row?.is_kept ? 'kept' : row;
}

/** Whether the database said that it kept nothing of a statement. Any other error leaves the outcome unknown. */
function isUndone(error: unknown): boolean {
  if (!(error instanceof DatabaseUnavailable)) return codeOf(error) !== undefined;
  return isRetryable(error.cause) || codeOf(error.cause) === LOCK_NOT_AVAILABLE;
}

/** Any order will do, as long as every replica has the same. */
function byResourceAndStart(first: OpenCreate, second: OpenCreate): number {
  const [one, other] = [first.booking.slot, second.booking.slot];
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined);
  if (one.resourceId !== other.resourceId) return one.resourceId < other.resourceId ? -1 : 1;
  return one.start - other.start;
}

function valuesOf(group: readonly OpenCreate[]): unknown[] {
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
