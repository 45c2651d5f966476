import { type Database, prepared } from '../../postgres/database.js';
import { type Booking, isBookingId, type Slot } from '../booking.js';
import { IdempotencyKeyReused, SlotTaken, StoreUnavailable } from '../booking.errors.js';
import {
  BookingsRepository,
  type BookingsPage,
  type BookingsQuery,
  type CreateOutcome,
  type IdempotentCreate,
} from '../bookings.repository.js';
import { COLUMNS, lastStartingBefore, listParts, listStatement } from './list-statements.js';

interface BookingRow {
  booking_id: string;
  resource_id: string | null;
  /** bigint, which pg gives as text */
  slot_start: string | null;
  slot_end: string | null;
  json: string;
}

// No target: ON CONFLICT cannot name an exclusion constraint, and a conflict with any constraint
// ends the same way, without a row (PostgreSQL, "INSERT", ON CONFLICT Clause).
const CREATE = prepared(
  'create-booking',
  `INSERT INTO bookings (booking_id, resource_id, slot_start, slot_end, json, idempotency_key, fingerprint)
    VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
);

const FIND = prepared('find-booking', `SELECT ${COLUMNS} FROM bookings WHERE booking_id = $1`);

const FIND_BY_KEY = prepared(
  'find-booking-by-key',
  `SELECT ${COLUMNS}, fingerprint FROM bookings WHERE idempotency_key = $1`,
);

// Slots of one resource do not overlap: if any holds a part of the window, the last that starts before its end does.
const FIND_HOLDER = prepared(
  'find-holder',
  `SELECT * FROM (${lastStartingBefore('$1', '$3')}) AS last WHERE slot_end > $2::bigint`,
);

/** Tries of one create, while what stood in its way is gone again when it is looked for. */
const MAX_TRIES = 3;

/**
 * Keeps bookings in PostgreSQL, for any number of replicas. The promises are constraints of the table
 * (`migrations/`), not checks made here: they hold whatever runs beside.
 */
export class PostgresBookingsRepository extends BookingsRepository {
  constructor(private readonly database: Database) {
    super();
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
    for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
      const { rowCount } = await this.database.run(CREATE, values);
      if (rowCount === 1) return { booking, replayed: false };
      const first = idempotent && (await this.findFirstOf(idempotent));
      if (first !== undefined) return { booking: first, replayed: true };
      const holder = slot && (await this.findHolder(slot));
      if (holder?.slot !== undefined) throw new SlotTaken(holder.slot);
    }
    throw new StoreUnavailable('The booking could not be decided on. Send it again.', 1);
  }

  override async find(bookingId: string): Promise<Booking | undefined> {
    // The type uuid would take other forms of an id too.
    if (!isBookingId(bookingId)) return undefined;
    const { rows } = await this.database.run<BookingRow>(FIND, [bookingId]);
    return rows[0] && toBooking(rows[0]);
  }

  override async list(query: BookingsQuery): Promise<BookingsPage> {
    const found = await this.select(query, query.limit + 1);
    return { bookings: found.slice(0, query.limit), hasMore: found.length > query.limit };
  }

  override async checkReady(): Promise<void> {
    await this.database.run({ text: 'SELECT 1' });
  }

  /** @throws IdempotencyKeyReused when the key's booking was made of another payload */
  private async findFirstOf({ key, fingerprint }: IdempotentCreate): Promise<Booking | undefined> {
    const { rows } = await this.database.run<BookingRow & { fingerprint: string }>(FIND_BY_KEY, [key]);
    const [row] = rows;
    if (row !== undefined && row.fingerprint !== fingerprint) throw new IdempotencyKeyReused();
    return row && toBooking(row);
  }

  private async findHolder({ resourceId, start, end }: Slot): Promise<Booking | undefined> {
    const { rows } = await this.database.run<BookingRow>(FIND_HOLDER, [resourceId, start, end]);
    return rows[0] && toBooking(rows[0]);
  }

  private async select(query: BookingsQuery, limit: number): Promise<Booking[]> {
    let found: Booking[] = [];
    for (const part of listParts(query)) {
      if (part === 'window') found = [];
      const { text, values } = listStatement(part, query, limit - found.length);
      const { rows } = await this.database.run<BookingRow>({ text }, values);
      found.push(...rows.map(toBooking));
      if (found.length === limit) break;
    }
    return found;
  }
}

function toBooking({ booking_id, resource_id, slot_start, slot_end, json }: BookingRow): Booking {
  const slot =
    resource_id === null ? undefined : { resourceId: resource_id, start: Number(slot_start), end: Number(slot_end) };
  return { bookingId: booking_id, slot, json };
}
