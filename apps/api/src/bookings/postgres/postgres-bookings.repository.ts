import type { QueryResultRow } from 'pg';
import { Database } from '../../platform/database/database.js';
import { DatabaseUnavailable } from '../../platform/database/postgres-errors.js';
import { prepared, type Statement } from '../../platform/database/statement.js';
import type { Moment } from '../../platform/moment.js';
import { StoreUnavailable } from '../domain/booking.errors.js';
import { type Booking, isBookingId, type Slot, StoredBooking } from '../domain/booking.js';
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
import type { Conflict } from './create-statements.js';
import { type PageRow, pageStatement, textsOf } from './list-statements.js';

const FIND = prepared('SELECT json FROM bookings WHERE booking_id = $1', { isShort: true });

/** Serves any number of replicas: constraints of the table keep the promises (`migrations/0001_bookings.sql`). */
export class PostgresBookingsRepository extends BookingsRepository {
  private readonly groups: CreateGroups;

  constructor(private readonly database: Database) {
    super();
    this.groups = new CreateGroups(database);
  }

  /** Creates that wait before they request a connection. */
  get queuedCreates(): number {
    return this.groups.size;
  }

  override get description(): string {
    return this.database.description;
  }

  override async create(booking: Booking, idempotent?: IdempotentCreate): Promise<CreateOutcome> {
    const inserted = await this.groups.insert(booking, idempotent).catch(throwStoreError);
    return inserted === 'kept' ? { kind: 'created', booking } : rejectedOrReplayed(inserted, booking, idempotent);
  }

  override async find(bookingId: string): Promise<Booking | undefined> {
    // PostgreSQL would accept other forms of a UUID.
    if (!isBookingId(bookingId)) return undefined;
    const [row] = await this.run<{ json: string }>(performance.now(), FIND, [bookingId]);
    return row && new StoredBooking(row.json);
  }

  /** A request holds no part of its page while it waits: thousands may. */
  override async list(filter: ListFilter, page: PageQuery): Promise<BookingsPage> {
    const requestedAt = performance.now();
    const query = { ...page, limit: page.limit + 1 };
    let rows = await this.run<PageRow>(requestedAt, ...pageStatement('ofShares', filter, query));
    if (rows.length === 0) {
      rows = await this.run<PageRow>(requestedAt, ...pageStatement('ofAnySize', filter, query));
    }
    const next = rows.flatMap(textsOf).map((json) => new StoredBooking(json));
    return pageOf(next, page.limit);
  }

  override async checkReady(): Promise<void> {
    const faults = await this.database.findFaults().catch(throwStoreError);
    if (faults.length > 0) throw new StoreUnavailable(faults.join(' '));
    await this.database.checkWrites().catch(throwStoreError);
  }

  /** @param requestedAt when the request began: all of its statements share its time limits */
  private async run<Row extends QueryResultRow>(requestedAt: Moment, statement: Statement, values?: unknown[]) {
    const { rows } = await this.database.read<Row>(statement, values, requestedAt).catch(throwStoreError);
    return rows;
  }
}

function rejectedOrReplayed(
  { json, fingerprint }: Conflict,
  { slot }: Booking,
  idempotent?: IdempotentCreate,
): CreateOutcome {
  if (fingerprint === null) {
    const held = JSON.parse(json) as Omit<Slot, 'resourceId'>;
    return { kind: 'slot_taken', held: { resourceId: slot!.resourceId, ...held } };
  }
  if (fingerprint !== idempotent?.fingerprint) return { kind: 'key_reused' };
  return { kind: 'replayed', booking: new StoredBooking(json) };
}

function throwStoreError(error: unknown): never {
  if (!(error instanceof DatabaseUnavailable)) throw error;
  throw new StoreUnavailable(error.message, { cause: error.cause });
}
