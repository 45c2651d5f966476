import { crc32 } from 'node:zlib';
import type { Database } from '../../database/database.js';
import { DatabaseUnavailable, isRetryable } from '../../database/postgres-errors.js';
import type { Booking } from '../booking.js';
import type { IdempotentCreate } from '../bookings.repository.js';
import { CREATE, CREATE_GROUP, type InTheWay } from './create-statements.js';

/** Rows of one statement, at most: as many locks as PostgreSQL by default has room for in each transaction. */
const MAX_ROWS = 64;

/** Characters of JSON in one statement, at most; a single row may have more. */
const MAX_CHARACTERS = 1_048_576;

/** Statements at once while commits are fast. With two, each takes what gathers during the other, for the least CPU. */
const AT_ONCE = 2;

/** Milliseconds that a booking waits for them. Commits are slow then, and a further statement begins. */
const GATHERING = 4;

/** What became of a booking. */
export interface Inserted {
  readonly isKept: boolean;
  /** Where it is not kept, what stood in its way; undefined where that has to be looked for. */
  readonly inTheWay?: InTheWay | undefined;
}

type InsertedRow = InTheWay & { readonly is_kept: boolean };
type GroupedRow = InsertedRow & { readonly booking_id: string };

interface Waiting {
  readonly booking: Booking;
  readonly idempotent: IdempotentCreate | undefined;
  /** When it was asked for, an instant of `performance.now()`: from then on it waits, for its turn and all that follows. */
  readonly asked: number;
  readonly resolve: (inserted: Inserted) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Inserts bookings, those together in one statement that wait while statements are under way: one commit, and one
 * round trip, for all of them. A booking that finds nothing under way, or one alone, goes alone and at once.
 *
 * No two groups wait for each other, of any replicas. Each locks its idempotency keys in ascending order, then
 * inserts its slots by resource and start. Slots that were inserted do not overlap, so whoever holds what a group
 * waits for is itself waiting, if at all, for a later start. A row that goes alone holds nothing while it waits.
 */
export class CreateGroups {
  private readonly waiting: Waiting[] = [];
  private statements = 0;
  private rowsUnderWay = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param patience milliseconds that a booking waits for its statement to begin, at most */
  constructor(
    private readonly database: Pick<Database, 'write' | 'writers'>,
    private readonly patience: number,
  ) {}

  /** Bookings that wait for their statement to begin. */
  get size(): number {
    return this.waiting.length;
  }

  /**
   * @returns whether the booking is kept now, or what stood in its way
   * @throws DatabaseUnavailable; whether the booking is kept is open then
   */
  insert(booking: Booking, idempotent: IdempotentCreate | undefined): Promise<Inserted> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ booking, idempotent, asked: performance.now(), resolve, reject });
      this.begin();
    });
  }

  private begin(): void {
    while (this.waiting.length > 0 && this.mayBegin()) void this.send(this.takeGroup());
    if (this.waiting.length > 0) this.timer ??= setTimeout(() => this.lookAgain(), GATHERING);
  }

  /** The second of the two begins once as many wait as the first has, so that it is not a single booking again and again. */
  private mayBegin(): boolean {
    if (this.statements >= this.database.writers) return false;
    if (this.statements < AT_ONCE && this.waiting.length >= this.rowsUnderWay) return true;
    return performance.now() - this.waiting[0]!.asked >= GATHERING;
  }

  private takeGroup(): Waiting[] {
    // An even share of all that is there, so that neither of the two takes everything and the other next to nothing.
    const share = Math.ceil((this.waiting.length + this.rowsUnderWay) / AT_ONCE);
    const wished = this.statements < AT_ONCE ? share : MAX_ROWS;
    const most = Math.min(wished, this.waiting.length, MAX_ROWS);
    let rows = 0;
    for (let characters = 0; rows < most; rows++) {
      characters += this.waiting[rows]!.booking.json.length;
      if (characters > MAX_CHARACTERS && rows > 0) break;
    }
    return this.waiting.splice(0, rows);
  }

  private async send(group: readonly Waiting[]): Promise<void> {
    this.statements++;
    this.rowsUnderWay += group.length;
    if (group.length === 1) await this.insertAlone(group[0]!);
    else await this.insertTogether(group.toSorted(byResourceAndStart));
    this.statements--;
    this.rowsUnderWay -= group.length;
    this.begin();
  }

  private async insertAlone({ booking, idempotent, asked, resolve, reject }: Waiting): Promise<void> {
    const { bookingId, slot, json } = booking;
    const values = [
      bookingId,
      slot?.resourceId,
      slot?.start,
      slot?.end,
      json,
      idempotent?.key,
      idempotent?.fingerprint,
    ];
    try {
      const { rows } = await this.database.write<InsertedRow>(CREATE, values, asked);
      resolve(rows[0] === undefined ? { isKept: false } : insertedOf(rows[0]));
    } catch (error) {
      reject(error);
    }
  }

  private async insertTogether(group: readonly Waiting[]): Promise<void> {
    const asked = Math.min(...group.map((one) => one.asked));
    try {
      const { rows } = await this.database.write<GroupedRow>(CREATE_GROUP, valuesOf(group), asked);
      const byId = new Map(rows.map((row) => [row.booking_id, insertedOf(row)]));
      for (const { booking, resolve } of group) resolve(byId.get(booking.bookingId) ?? { isKept: false });
    } catch (error) {
      // Where the outcome is open, a row that is sent again would meet itself and take that for a conflict.
      if (isUndone(error)) await Promise.all(group.map((row) => this.insertAlone(row)));
      else for (const { reject } of group) reject(error);
    }
  }

  private lookAgain(): void {
    this.timer = undefined;
    this.rejectLate();
    this.begin();
  }

  /** Rejects those that have waited too long; nothing of them has run. */
  private rejectLate(): void {
    const longAgo = performance.now() - this.patience;
    const inTime = this.waiting.findIndex(({ asked }) => asked > longAgo);
    for (const { reject } of this.waiting.splice(0, inTime === -1 ? this.waiting.length : inTime)) {
      reject(new DatabaseUnavailable('The service cannot reach its database.'));
    }
  }
}

function insertedOf(row: InsertedRow): Inserted {
  return row.is_kept ? { isKept: true } : { isKept: false, inTheWay: row };
}

/** Whether the database said that it kept nothing of a statement, for a reason that may be that of one row. */
function isUndone(error: unknown): boolean {
  return !(error instanceof DatabaseUnavailable) || isRetryable(error.cause);
}

/** Any order does that is the same on every replica. */
function byResourceAndStart({ booking: { slot: one } }: Waiting, { booking: { slot: other } }: Waiting): number {
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined);
  if (one.resourceId !== other.resourceId) return one.resourceId < other.resourceId ? -1 : 1;
  return one.start - other.start;
}

function valuesOf(group: readonly Waiting[]): unknown[] {
  const keys = group.flatMap(({ idempotent }) => idempotent?.key ?? []);
  const locks = new Set(keys.map((key) => crc32(key) | 0));
  return [
    group.map(({ booking }) => booking.bookingId),
    group.map(({ booking }) => booking.slot?.resourceId),
    group.map(({ booking }) => booking.slot?.start),
    group.map(({ booking }) => booking.slot?.end),
    group.map(({ booking }) => booking.json).join('\n'),
    group.map(({ idempotent }) => idempotent?.key),
    group.map(({ idempotent }) => idempotent?.fingerprint),
    [...locks].toSorted((one, other) => one - other),
  ];
}
