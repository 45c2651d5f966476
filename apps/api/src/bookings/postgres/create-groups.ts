import type { Database } from '../../platform/database/database.js';
import { DatabaseUnavailable, isRolledBack } from '../../platform/database/postgres-errors.js';
import type { Moment } from '../../platform/moment.js';
import type { Booking } from '../domain/booking.js';
import type { IdempotentCreate } from '../domain/bookings.repository.js';
import { type Conflict, CREATE, CREATE_GROUP, type CreateRequest, valuesOf } from './create-statements.js';

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

/** Maximum tries of one create: the statement of each sees only conflicts that were committed before it began. */
const MAX_TRIES = 3;

type Inserted = 'kept' | Conflict;

/** An unseen conflict was committed while the statement waited, so only a later statement sees it. */
type Outcome = Inserted | 'unseen conflict';

/** The row of a booking that was kept or whose conflict was seen; only a group's rows have a `booking_id`. */
type InsertedRow = Conflict & { readonly is_kept: boolean; readonly booking_id?: string };

interface TimedCreate extends CreateRequest {
  /** When the time limits of the create begin. */
  readonly enqueuedAt: Moment;
}

interface OpenCreate extends TimedCreate {
  readonly resolve: (outcome: Outcome) => void;
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

  constructor(private readonly database: Pick<Database, 'write' | 'maxLongWrites' | 'connectTimeout' | 'lockTimeout'>) {
    this.atOnce = Math.min(AT_ONCE, database.maxLongWrites);
  }

  get size(): number {
    return this.waiting.length;
  }

  /** @throws DatabaseUnavailable; the booking may still have been kept */
  async insert(booking: Booking, idempotent: IdempotentCreate | undefined): Promise<Inserted> {
    const request = { booking, idempotent, enqueuedAt: performance.now() };
    let outcome = await this.enqueue(request);
    // Retries the create alone, since a whole group would have only the time that is left for this one.
    for (let tries = 1; outcome === 'unseen conflict' && tries < MAX_TRIES; tries++) {
      outcome = await this.insertAlone(request);
    }
    if (outcome !== 'unseen conflict') return outcome;
    throw new DatabaseUnavailable('A concurrent create interfered. Send the request again.');
  }

  private enqueue({ booking, idempotent, enqueuedAt }: TimedCreate): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const { length } = booking.json;
      if (this.waitingCharacters + length > MAX_WAITING_CHARACTERS) {
        throw new DatabaseUnavailable('Too many creates wait for the database.');
      }
      this.waitingCharacters += length;
      this.waiting.push({ booking, idempotent, enqueuedAt, resolve, reject });
      this.begin();
    });
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
    await Promise.all(group.map((create) => this.insertAlone(create).then(create.resolve, create.reject)));
  }

  private async sendTogether(group: readonly OpenCreate[]): Promise<void> {
    const enqueuedAt = Math.min(...group.map((one) => one.enqueuedAt));
    const statement = CREATE_GROUP.with(valuesOf(group, this.database.lockTimeout));
    const { rows } = await this.database.write<InsertedRow>(...statement, enqueuedAt);
    const byId = new Map(rows.map((row) => [row.booking_id, row]));
    for (const { booking, resolve } of group) resolve(outcomeOf(byId.get(booking.bookingId)));
  }

  private async insertAlone({ booking, idempotent, enqueuedAt }: TimedCreate): Promise<Outcome> {
    const { bookingId, slot, json } = booking;
    const { lockTimeout } = this.database;
    const statement = CREATE.with({ bookingId, json, lockTimeout, ...slot, ...idempotent });
    const { rows } = await this.database.write<InsertedRow>(...statement, enqueuedAt);
    return outcomeOf(rows[0]);
  }

  private rejectTimedOut(): void {
    const longAgo = performance.now() - this.database.connectTimeout;
    const inTime = this.waiting.findIndex(({ enqueuedAt }) => enqueuedAt > longAgo);
    for (const { reject } of this.take(inTime === -1 ? this.waiting.length : inTime)) {
      reject(new DatabaseUnavailable('The service cannot use its database now.'));
    }
  }
}

function outcomeOf(row: InsertedRow | undefined): Outcome {
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
