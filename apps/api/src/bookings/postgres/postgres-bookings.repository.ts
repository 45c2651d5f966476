import type { QueryResult, QueryResultRow } from 'pg';
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

interface BookingRow {
  json: string;
}

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
      registers: [],
      collect: () => queued.set(groups.size),
    });
    registry?.registerMetric(queued);
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
      const found = inserted ?? (await this.findConflict(requestedAt, booking, idempotent));
      if (found !== undefined) return rejectedOrReplayed(found, idempotent);
    }
    throw new StoreUnavailable('The booking could not be decided on. Send it again.');
  }

  override async find(bookingId: string): Promise<Booking | undefined> {
    // The type uuid would take other forms of an id too.
    if (!isBookingId(bookingId)) return undefined;
    return this.read(performance.now(), bookingId);
  }

  override async list(filter: ListFilter, page: PageQuery): Promise<BookingsPage> {
    const requestedAt = performance.now();
    let next: readonly Booking[] | undefined;
    while (next === undefined) next = await this.readNext(requestedAt, filter, page);
    return pageOf(next, page.limit);
  }

  override async checkReady(): Promise<void> {
    const { rows } = await this.run<Finding>(performance.now(), FIND_FAULTS);
    if (rows.length > 0) throw new StoreUnavailable(sentencesOf(rows).join(' '));
  }

  private async read(requestedAt: number, bookingId: string): Promise<Booking | undefined> {
    const { rows } = await this.run<BookingRow>(requestedAt, FIND, [bookingId]);
    return rows[0] && new StoredBooking(rows[0].json, bookingId);
  }

  /**
   * What comes next in a list, up to the first booking that does not fit on the page.
   *
   * @returns undefined if a booking was deleted meanwhile: without it, the page would seem to be the last one
   */
  private async readNext(
    requestedAt: number,
    filter: ListFilter,
    { limit, after }: PageQuery,
  ): Promise<readonly Booking[] | undefined> {
    const [statement, values] = pageStatement(filter, { limit: limit + 1, after });
    const { rows } = await this.run<{ page: string | null }>(requestedAt, statement, values);
    const next: Booking[] = [];
    for (const text of rows[0]!.page?.split(SEPARATOR) ?? []) {
      const isLarge = !text.startsWith('{');
      const booking = isLarge ? await this.read(requestedAt, text) : new StoredBooking(text);
      if (booking === undefined) return undefined;
      next.push(booking);
      if (isLarge && pageOf(next, limit).hasMore) break;
    }
    return next;
  }

  /** @returns undefined if there is none left */
  private async findConflict(
    requestedAt: number,
    { slot }: Booking,
    idempotent?: IdempotentCreate,
  ): Promise<Conflict | undefined> {
    const values = [idempotent?.key, slot?.resourceId, slot?.start, slot?.end];
    const { rows } = await this.run<Conflict>(requestedAt, FIND_CONFLICT, values);
    return rows[0];
  }

  /**
   * @param requestedAt instant of `performance.now()` at which the request began: all of its statements share its time
   *   limits
   * @throws StoreUnavailable
   */
  private run<Row extends QueryResultRow>(
    requestedAt: number,
    statement: Statement,
    values?: unknown[],
  ): Promise<QueryResult<Row>> {
    return inTermsOfTheStore(this.database.run<Row>(statement, values, requestedAt));
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
