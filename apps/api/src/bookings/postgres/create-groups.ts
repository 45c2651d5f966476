import { crc32 } from 'node:zlib';
import type { Database } from '../../database/database.js';
import { DatabaseUnavailable, isLockTimeout, isRetryable } from '../../database/postgres-errors.js';
import type { Booking } from '../booking.js';
import type { IdempotentCreate } from '../bookings.repository.js';
import { CREATE, CREATE_GROUP, type Conflict } from './create-statements.js';

/** Rows of one statement, at most: as many locks as PostgreSQL has room for in each transaction by default. */
const MAX_ROWS = 64;

/** Characters of JSON in one statement, at most; a single row may have more. */
const MAX_CHARACTERS = 1_048_576;

/** Statements at once while commits are fast. With two, each takes what gathers during the other, for the least CPU. */
const AT_ONCE = 2;

/** Milliseconds that a booking waits for them. After that, commits count as slow and a further statement begins. */
const GATHERING = 4;

/** What part of `lockTimeout` is left to a row of a group that failed, most often because it had waited so long already. */
const SECOND_WAIT = 0.2;

/** What became of a booking. */
export interface Inserted {
  readonly isKept: boolean;
  /** Why it is not kept; undefined if that must be looked up. */
  readonly conflict?: Conflict | undefined;
}

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
  private statements = 0;
  private rowsUnderWay = 0;
  private timer: NodeJS.Timeout | undefined;
  /** The last of the creates that another transaction holds up. They wait one after the other, on one connection. */
  private held = Promise.resolve();

  /**
   * @param acquireTimeout milliseconds that a booking waits for its statement to begin, and for other transactions, at most
   * @param lockTimeout milliseconds that a statement waits for another transaction that holds a slot or a key while
   *   creates of other slots may wait behind it. A transaction of the service takes a few; one that a person has open may
   *   take minutes
   */
  constructor(
    private readonly database: Pick<Database, 'write' | 'writers'>,
    private readonly acquireTimeout: number,
    private readonly lockTimeout: number,
  ) {}

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
    lockTimeout = this.lockTimeout,
  ): Promise<Inserted> {
    const { key, fingerprint } = idempotent ?? {};
    const values = [bookingId, slot?.resourceId, slot?.start, slot?.end, json, key, fingerprint, lockTimeout];
    const { rows } = await this.database.write<InsertedRow>(CREATE, values, requestedAt);
    return rows[0] === undefined ? { isKept: false } : insertedOf(rows[0]);
  }

  private begin(): void {
    while (this.queue.length > 0 && this.mayBegin()) void this.send(this.takeGroup());
    if (this.queue.length > 0) this.timer ??= setTimeout(() => this.onTimer(), GATHERING);
  }

  /** The second of the two begins once as many are queued as the first has, or it would always have a single row. */
  private mayBegin(): boolean {
    if (this.statements >= this.database.writers) return false;
    if (this.statements < AT_ONCE && this.queue.length >= this.rowsUnderWay) return true;
    return performance.now() - this.queue[0]!.enqueuedAt >= GATHERING;
  }

  private takeGroup(): QueuedCreate[] {
    // An even share, so that the two statements have about as many rows.
    const share = Math.ceil((this.queue.length + this.rowsUnderWay) / AT_ONCE);
    const wished = this.statements < AT_ONCE ? share : MAX_ROWS;
    const most = Math.min(wished, this.queue.length, MAX_ROWS);
    let rows = 0;
    for (let characters = 0; rows < most; rows++) {
      characters += this.queue[rows]!.booking.json.length;
      if (characters > MAX_CHARACTERS && rows > 0) break;
    }
    return this.queue.splice(0, rows);
  }

  private async send(group: readonly QueuedCreate[]): Promise<void> {
    this.statements++;
    this.rowsUnderWay += group.length;
    if (group.length === 1) await this.sendAlone(group[0]!);
    else await this.insertTogether(group.toSorted(byResourceAndStart));
    this.statements--;
    this.rowsUnderWay -= group.length;
    this.begin();
  }

  private async sendAlone(create: QueuedCreate, lockTimeout = this.lockTimeout): Promise<void> {
    const { booking, idempotent, enqueuedAt, resolve, reject } = create;
    try {
      resolve(await this.insertAlone(booking, idempotent, enqueuedAt, lockTimeout));
    } catch (error) {
      const left = enqueuedAt + this.acquireTimeout - performance.now();
      if (isHeldUp(error) && left > 1) this.held = this.held.then(() => this.sendHeld(create));
      else reject(error);
    }
  }

  /** Waits for the other transaction as long as the create may, without delay for others. */
  private async sendHeld(create: QueuedCreate): Promise<void> {
    const left = create.enqueuedAt + this.acquireTimeout - performance.now();
    await this.sendAlone(create, Math.max(1, Math.ceil(left)));
  }

  private async insertTogether(group: readonly QueuedCreate[]): Promise<void> {
    const enqueuedAt = Math.min(...group.map((one) => one.enqueuedAt));
    try {
      const { rows } = await this.database.write<GroupedRow>(
        CREATE_GROUP,
        [...valuesOf(group), this.lockTimeout],
        enqueuedAt,
      );
      const byId = new Map(rows.map((row) => [row.booking_id, insertedOf(row)]));
      for (const { booking, resolve } of group) resolve(byId.get(booking.bookingId) ?? { isKept: false });
    } catch (error) {
      // If the outcome is unknown, a row that is sent again could conflict with itself.
      if (isUndone(error))
        await Promise.all(group.map((row) => this.sendAlone(row, Math.ceil(SECOND_WAIT * this.lockTimeout))));
      else for (const { reject } of group) reject(error);
    }
  }

  private onTimer(): void {
    this.timer = undefined;
    this.rejectLate();
    this.begin();
  }

  /** Rejects creates that have waited too long. No statement has them. */
  private rejectLate(): void {
    const longAgo = performance.now() - this.acquireTimeout;
    const inTime = this.queue.findIndex(({ enqueuedAt }) => enqueuedAt > longAgo);
    for (const { reject } of this.queue.splice(0, inTime === -1 ? this.queue.length : inTime)) {
      reject(new DatabaseUnavailable('The service cannot reach its database.'));
    }
  }
}

function insertedOf(row: InsertedRow): Inserted {
  return row.is_kept ? { isKept: true } : { isKept: false, conflict: row };
}

/** Whether the database reported that it kept nothing of a statement, which a single row may have caused. */
function isUndone(error: unknown): boolean {
  return !(error instanceof DatabaseUnavailable) || isRetryable(error.cause) || isHeldUp(error);
}

/** Whether another transaction held a slot or a key for too long. */
function isHeldUp(error: unknown): boolean {
  return error instanceof DatabaseUnavailable && isLockTimeout(error.cause);
}

/** Any order will do, as long as every replica has the same. */
function byResourceAndStart(
  { booking: { slot: one } }: QueuedCreate,
  { booking: { slot: other } }: QueuedCreate,
): number {
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
