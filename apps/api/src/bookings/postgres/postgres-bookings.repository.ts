import type { QueryResultRow } from 'pg';
import { Gauge, type Registry } from 'prom-client';
import { Database } from '../../platform/database/database.js';
import { DatabaseUnavailable } from '../../platform/database/postgres-errors.js';
import { prepared, type Statement } from '../../platform/database/statement.js';
import type { Moment } from '../../platform/moment.js';
import { StoreUnavailable } from '../domain/booking.errors.js';
import { type Booking, isBookingId, StoredBooking } from '../domain/booking.js';
import {
  BookingsRepository,
  type BookingsPage,
  type CreateOutcome,
  type IdempotentCreate,
  MAX_PAGE_BYTES,
  pageOf,
  type PageQuery,
} from '../domain/bookings.repository.js';
import type { ListFilter } from '../domain/cursor.js';
import { CreateGroups } from './create-groups.js';
import type { Conflict } from './create-statements.js';
import { pageStatement, SEPARATOR } from './list-statements.js';

const FIND = prepared('SELECT json FROM bookings WHERE booking_id = $1', { isShort: true });

const FIND_LARGE = prepared('SELECT json FROM bookings WHERE booking_id = ANY($1::uuid[])');

/** Maximum tries of one create: the statement of each sees only conflicts that were committed before it began. */
const MAX_TRIES = 3;

/** Serves any number of replicas: constraints of the table keep the promises (`migrations/0001_bookings.sql`). */
export class PostgresBookingsRepository extends BookingsRepository {
  private readonly groups: CreateGroups;

  constructor(
    private readonly database: Database,
    registry?: Registry,
  ) {
    super();
    this.groups = new CreateGroups(database);
    const queued: Gauge = new Gauge({
      name: 'bookings_queued_creates',
      help: 'Creates that wait before they request a connection',
      registers: registry === undefined ? [] : [registry],
      collect: () => queued.set(this.groups.size),
    });
  }

  override get description(): string {
    return this.database.description;
  }

  override async create(booking: Booking, idempotent?: IdempotentCreate): Promise<CreateOutcome> {
    const requestedAt = performance.now();
    let inserted = await withStoreErrors(this.groups.insert(booking, idempotent));
    // Retries the create alone, since a whole group would have only the time that is left for this one.
    for (let tries = 1; inserted === 'unseen conflict' && tries < MAX_TRIES; tries++) {
      inserted = await withStoreErrors(this.groups.insertAlone(booking, idempotent, requestedAt));
    }
    if (inserted === 'kept') return { kind: 'created', booking };
    if (inserted !== 'unseen conflict') return rejectedOrReplayed(inserted, idempotent);
    throw new StoreUnavailable('A concurrent create interfered. Send the request again.');
  }

  override async find(bookingId: string): Promise<Booking | undefined> {
    // PostgreSQL would accept other forms of a UUID.
    return isBookingId(bookingId) ? this.read(performance.now(), bookingId) : undefined;
  }

  override async list(
    filter: ListFilter,
    page: PageQuery,
    requestedAt: Moment = performance.now(),
  ): Promise<BookingsPage> {
    const statement = pageStatement(filter, { ...page, limit: page.limit + 1 });
    const [row] = await this.run<{ page: string | null }>(requestedAt, ...statement);
    const texts = row!.page?.split(SEPARATOR) ?? [];
    const largeIds = idsOfLarge(texts);
    const large = await this.readLarge(requestedAt, largeIds);
    // If a large booking was deleted meanwhile, a page that ended before it would seem to be the last.
    if (large.size < largeIds.length) return this.list(filter, page, requestedAt);
    const next: Booking[] = [];
    for (const text of texts) {
      const booking = isLarge(text) ? large.get(idOf(text)) : new StoredBooking(text);
      if (booking === undefined) break;
      next.push(booking);
    }
    return pageOf(next, page.limit);
  }

  override async checkReady(): Promise<void> {
    const faults = await withStoreErrors(this.database.findFaults());
    if (faults.length > 0) throw new StoreUnavailable(faults.join(' '));
    await withStoreErrors(this.database.checkWrites());
  }

  private async read(requestedAt: Moment, bookingId: string): Promise<Booking | undefined> {
    const [row] = await this.run<{ json: string }>(requestedAt, FIND, [bookingId]);
    return row && new StoredBooking(row.json);
  }

  /** Reads all in one statement: between several, a request would hold part of its page while it waits for the next. */
  private async readLarge(requestedAt: Moment, ids: string[]): Promise<Map<string, Booking>> {
    if (ids.length === 0) return new Map();
    const rows = await this.run<{ json: string }>(requestedAt, FIND_LARGE, [ids]);
    const bookings = rows.map(({ json }) => new StoredBooking(json));
    return new Map(bookings.map((booking) => [booking.bookingId, booking]));
  }

  /** @param requestedAt when the request began: all of its statements share its time limits */
  private async run<Row extends QueryResultRow>(requestedAt: Moment, statement: Statement, values?: unknown[]) {
    return (await withStoreErrors(this.database.run<Row>(statement, values, requestedAt))).rows;
  }
}

/** Whether a text on a page is only the id and the size of a large booking. */
function isLarge(text: string): boolean {
  return !text.startsWith('{');
}

function idOf(text: string): string {
  return text.split(' ')[0]!;
}

/** Ids of the large bookings on the page, at least up to and including the first booking that no longer fits. */
function idsOfLarge(texts: string[]): string[] {
  const ids: string[] = [];
  let bytes = 0;
  for (const text of texts) {
    if (bytes > MAX_PAGE_BYTES) break;
    if (isLarge(text)) ids.push(idOf(text));
    bytes += isLarge(text) ? Number(text.split(' ')[1]) : text.length;
  }
  return ids;
}

function rejectedOrReplayed({ json, fingerprint }: Conflict, idempotent?: IdempotentCreate): CreateOutcome {
  const booking = new StoredBooking(json);
  if (fingerprint === null) return { kind: 'slot_taken', held: booking.slot! };
  return fingerprint === idempotent?.fingerprint ? { kind: 'replayed', booking } : { kind: 'key_reused' };
}

async function withStoreErrors<Result>(running: Promise<Result>): Promise<Result> {
  try {
    return await running;
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    throw new StoreUnavailable(error.message, { cause: error.cause });
  }
}
