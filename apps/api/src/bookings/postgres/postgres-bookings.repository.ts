import type { QueryResultRow } from 'pg';
import { Gauge, type Registry } from 'prom-client';
import { Database } from '../../platform/database/database.js';
import { DatabaseUnavailable } from '../../platform/database/postgres-errors.js';
import { FIND_FAULTS, type Finding, sentencesOf } from '../../platform/database/schema.js';
import { prepared, type Statement } from '../../platform/database/statement.js';
import { type Booking, isBookingId, StoredBooking } from '../domain/booking.js';
import { StoreUnavailable } from '../domain/booking.errors.js';
import {
  BookingsRepository,
  type BookingsPage,
  type CreateOutcome,
  type IdempotentCreate,
  pageOf,
  type PageQuery,
} from '../domain/bookings.repository.js';
import type { ListFilter } from '../domain/cursor.js';
import { CreateGroups } from './create-groups.js';
import { FIND_CONFLICT, type Conflict } from './create-statements.js';
import { pageStatement, SEPARATOR } from './list-statements.js';

const FIND = prepared('SELECT json FROM bookings WHERE booking_id = $1');

/** Attempts of one create whose conflict is gone by the time it is looked up. */
const MAX_TRIES = 3;

/**
 * Keeps bookings in PostgreSQL, for any number of replicas. The promises are constraints of the table
 * (`migrations/`), not checks made here: they hold whatever other replicas do.
 */
export class PostgresBookingsRepository extends BookingsRepository {
  private readonly groups: CreateGroups;

  /** @param registry gets the metric of queued creates; it must not have that of another repository */
  constructor(
    private readonly database: Database,
    registry?: Registry,
  ) {
    super();
    const groups = new CreateGroups(database);
    this.groups = groups;
    const queued: Gauge = new Gauge({
      name: 'bookings_queued_creates',
      help: 'Creates that wait before they request a connection',
      registers: registry === undefined ? [] : [registry],
      collect: () => queued.set(groups.size),
    });
  }

  override get description(): string {
    return this.database.description;
  }

  override async create(booking: Booking, idempotent?: IdempotentCreate): Promise<CreateOutcome> {
    const requestedAt = performance.now();
    for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
      // Only the first attempt joins a group, which would otherwise share what is left of its time.
      const inserting =
        attempt === 1
          ? this.groups.insert(booking, idempotent)
          : this.groups.insertAlone(booking, idempotent, requestedAt);
      const inserted = await inTermsOfTheStore(inserting);
      if (inserted === 'kept') return { kind: 'created', booking };
      const found = inserted ?? (await this.findConflict(requestedAt, booking, idempotent?.key));
      if (found !== undefined) return rejectedOrReplayed(found, idempotent);
    }
    throw new StoreUnavailable('The booking could not be decided on. Send it again.');
  }

  override async find(bookingId: string): Promise<Booking | undefined> {
    // The type uuid would take other forms of an id too.
    if (!isBookingId(bookingId)) return undefined;
    return this.read(performance.now(), bookingId);
  }

  override async list(filter: ListFilter, page: PageQuery, requestedAt = performance.now()): Promise<BookingsPage> {
    const { limit, after } = page;
    const statement = pageStatement(filter, { limit: limit + 1, after });
    const [row] = await this.run<{ page: string | null }>(requestedAt, ...statement);
    const next: Booking[] = [];
    for (const text of row!.page?.split(SEPARATOR) ?? []) {
      const isLarge = !text.startsWith('{');
      const booking = isLarge ? await this.read(requestedAt, text) : new StoredBooking(text);
      // Deleted meanwhile: without it, this page would seem to be the last.
      if (booking === undefined) return this.list(filter, page, requestedAt);
      next.push(booking);
      if (isLarge && pageOf(next, limit).hasMore) break;
    }
    return pageOf(next, limit);
  }

  override async checkReady(): Promise<void> {
    const faults = await this.run<Finding>(performance.now(), FIND_FAULTS);
    if (faults.length > 0) throw new StoreUnavailable(sentencesOf(faults).join(' '));
  }

  private async read(requestedAt: number, bookingId: string): Promise<Booking | undefined> {
    const [row] = await this.run<{ json: string }>(requestedAt, FIND, [bookingId]);
    return row && new StoredBooking(row.json, bookingId);
  }

  /** @returns undefined if there is none left */
  private async findConflict(requestedAt: number, { slot }: Booking, key?: string): Promise<Conflict | undefined> {
    const values = [key, slot?.resourceId, slot?.start, slot?.end];
    return (await this.run<Conflict>(requestedAt, FIND_CONFLICT, values))[0];
  }

  /**
   * @param requestedAt instant of `performance.now()` at which the request began: all of its statements share its time
   *   limits
   * @throws StoreUnavailable
   */
  private async run<Row extends QueryResultRow>(
    requestedAt: number,
    statement: Statement,
    values?: unknown[],
  ): Promise<Row[]> {
    return (await inTermsOfTheStore(this.database.run<Row>(statement, values, requestedAt))).rows;
  }
}

/** The outcome of a create that has a conflict. */
function rejectedOrReplayed({ json, fingerprint }: Conflict, idempotent?: IdempotentCreate): CreateOutcome {
  const booking = new StoredBooking(json);
  if (fingerprint === null) return { kind: 'slot_taken', held: booking.slot! };
  return fingerprint === idempotent?.fingerprint ? { kind: 'replayed', booking } : { kind: 'key_reused' };
}

/** @throws StoreUnavailable */
async function inTermsOfTheStore<Result>(running: Promise<Result>): Promise<Result> {
  try {
    return await running;
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    throw new StoreUnavailable(error.message, { cause: error.cause });
  }
}
