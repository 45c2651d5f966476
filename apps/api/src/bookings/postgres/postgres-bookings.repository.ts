import type { QueryResult, QueryResultRow } from 'pg';
import { RETRY_AFTER_SECONDS } from '../../expected-error.js';
import type { Database } from '../../postgres/database.js';
import { prepared, preparedOnce, type Statement } from '../../postgres/statement.js';
import { DatabaseUnavailable } from '../../postgres/postgres-errors.js';
import { type Booking, isBookingId, RenderedBooking } from '../booking.js';
import { IdempotencyKeyReused, SlotTaken, StoreUnavailable } from '../booking.errors.js';
import {
  BookingsRepository,
  type BookingsPage,
  type BookingsQuery,
  type CreateOutcome,
  type IdempotentCreate,
  MAX_PAGE_BYTES,
} from '../bookings.repository.js';
import { CreateGroups } from './create-groups.js';
import { lastStartingBefore, listParts, listStatement } from './list-statements.js';

interface BookingRow {
  json: string;
}

const FIND = prepared('SELECT json FROM bookings WHERE booking_id = $1');

// What a create met, in the order in which it is judged: the booking of its key, then a holder of its slot. Slots of
// one resource do not overlap: if any holds a part of the window, the last that starts before its end does.
const FIND_IN_THE_WAY = prepared(
  `SELECT json, fingerprint FROM bookings WHERE idempotency_key = $1
    UNION ALL SELECT json, NULL FROM (${lastStartingBefore('$2', '$4')}) AS last WHERE slot_end > $3::bigint`,
);

/** Tries of one create, while what stood in its way is gone again when it is looked for. */
const MAX_TRIES = 3;

/**
 * Keeps bookings in PostgreSQL, for any number of replicas. The promises are constraints of the table
 * (`migrations/`), not checks made here: they hold whatever runs beside.
 */
export class PostgresBookingsRepository extends BookingsRepository {
  private readonly groups: CreateGroups;

  constructor(private readonly database: Database) {
    super();
    this.groups = new CreateGroups(database, database.patience);
    database.countHeldBack(() => this.groups.size);
  }

  override get description(): string {
    return `PostgreSQL at ${this.database.address}`;
  }

  /** Called by Nest before the first request. @throws SchemaMismatch, DatabaseError when no waiting mends it */
  onModuleInit(): Promise<void> {
    return this.database.prepare();
  }

  /** Called by Nest after the last request. */
  onApplicationShutdown(): Promise<void> {
    return this.database.close();
  }

  override async create(booking: Booking, idempotent?: IdempotentCreate): Promise<CreateOutcome> {
    for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
      if (await inTermsOfTheStore(this.groups.insert(booking, idempotent))) return { booking, replayed: false };
      const first = await this.findFirst(booking, idempotent);
      if (first !== undefined) return { booking: first, replayed: true };
    }
    throw new StoreUnavailable('The booking could not be decided on. Send it again.', RETRY_AFTER_SECONDS);
  }

  override async find(bookingId: string): Promise<Booking | undefined> {
    // The type uuid would take other forms of an id too.
    if (!isBookingId(bookingId)) return undefined;
    // A booking never changes, so that one found on a standby is the booking. One that is missing may be on its way.
    const [glanced] = await this.database.glance<BookingRow>(FIND, [bookingId]);
    const row = glanced ?? (await this.run<BookingRow>(FIND, [bookingId])).rows[0];
    return row && new RenderedBooking(row.json, bookingId);
  }

  override async list(query: BookingsQuery): Promise<BookingsPage> {
    const bookings: Booking[] = [];
    let room = MAX_PAGE_BYTES;
    for (const part of listParts(query)) {
      const { text, values } = listStatement(part, query, query.limit + 1 - bookings.length, room);
      const { rows } = await this.run<BookingRow>(preparedOnce(text), values);
      for (const row of rows) {
        const bytes = Buffer.byteLength(row.json);
        const isFull = bookings.length === query.limit || (bytes > room && bookings.length > 0);
        if (isFull) return { bookings, hasMore: true };
        bookings.push(new RenderedBooking(row.json));
        room -= bytes;
      }
    }
    return { bookings, hasMore: false };
  }

  override async checkReady(): Promise<void> {
    await this.run({ text: 'SELECT 1' });
  }

  /**
   * Why a create found no room.
   *
   * @returns the booking that its key has already; undefined when nothing stands in the way any more
   * @throws IdempotencyKeyReused, SlotTaken
   */
  private async findFirst({ slot }: Booking, idempotent?: IdempotentCreate): Promise<Booking | undefined> {
    const values = [idempotent?.key, slot?.resourceId, slot?.start, slot?.end];
    const { rows } = await this.run<BookingRow & { fingerprint: string | null }>(FIND_IN_THE_WAY, values);
    const [row] = rows;
    if (row === undefined) return undefined;
    const found = new RenderedBooking(row.json);
    if (row.fingerprint === null) throw new SlotTaken(found.slot!);
    if (row.fingerprint !== idempotent?.fingerprint) throw new IdempotencyKeyReused();
    return found;
  }

  /** @throws StoreUnavailable */
  private run<Row extends QueryResultRow>(statement: Statement, values?: unknown[]): Promise<QueryResult<Row>> {
    return inTermsOfTheStore(this.database.run<Row>(statement, values));
  }
}

/** @throws StoreUnavailable */
async function inTermsOfTheStore<Result>(running: Promise<Result>): Promise<Result> {
  try {
    return await running;
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    throw new StoreUnavailable(error.message, RETRY_AFTER_SECONDS, { cause: error.cause });
  }
}
