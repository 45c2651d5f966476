import { hash, randomInt } from 'node:crypto';
import type { CreateBookingDto, ListBookingsQuery } from '@booking-service/contracts';
import { Injectable, Optional } from '@nestjs/common';
import { stringify } from 'safe-stable-stringify';
import { V7Generator } from 'uuidv7';
import { BookingSchema } from './booking-schema.js';
import { BookingNotFound, InvalidBooking, KeyReused, SlotTaken } from './domain/booking.errors.js';
import { type Booking, NewBooking } from './domain/booking.js';
import { BookingsListener, BookingsRepository } from './domain/bookings.repository.js';
import { filterOf, fromCursor, positionOf, toCursor } from './domain/cursor.js';

export interface ListedBookings {
  readonly bookings: readonly Booking[];
  /** Null on the last page, and only there. */
  readonly nextCursor: string | null;
}

export interface CallersKey {
  readonly key: string;
  /** Any text; undefined if the service requires no token. */
  readonly callerId: string | undefined;
}

export interface CreatedBooking {
  readonly booking: Booking;
  /** Whether an earlier create with the same key made the booking. */
  readonly isReplay: boolean;
}

/** Draws on `randomInt`, which reads 6 KiB of random data at a time; the library's own source reads 32 bytes. */
const ids = new V7Generator({ nextUint32: () => randomInt(2 ** 32) });

@Injectable()
export class BookingsService {
  constructor(
    private readonly bookings: BookingsRepository,
    private readonly schema: BookingSchema,
    @Optional() private readonly listener?: BookingsListener,
  ) {}

  /** @throws InvalidBooking, SlotTaken, KeyReused, StoreUnavailable */
  async create(payload: CreateBookingDto, key?: CallersKey): Promise<CreatedBooking> {
    const errors = this.schema.errorsOf(payload);
    if (errors.length > 0) throw new InvalidBooking(errors);
    const idempotent = key && { key: storedKey(key), fingerprint: fingerprintOf(payload) };
    const id = ids.generateOrResetWithTs(Date.now()).toString();
    const outcome = await this.bookings.create(new NewBooking(id, payload), idempotent);
    if (outcome.kind === 'slot_taken') throw new SlotTaken(outcome.held);
    if (outcome.kind === 'key_reused') throw new KeyReused();
    const { kind, booking } = outcome;
    if (kind === 'created') this.listener?.created(booking);
    return { booking, isReplay: kind === 'replayed' };
  }

  /** @throws BookingNotFound, StoreUnavailable */
  async get(bookingId: string): Promise<Booking> {
    const booking = await this.bookings.find(bookingId);
    if (booking === undefined) throw new BookingNotFound();
    return booking;
  }

  /** @throws InvalidCursor, StoreUnavailable */
  async list({ limit, cursor, ...query }: ListBookingsQuery): Promise<ListedBookings> {
    const filter = filterOf(query);
    const after = cursor === undefined ? undefined : fromCursor(cursor, filter);
    const { bookings, hasMore } = await this.bookings.list(filter, { limit, after });
    const last = hasMore ? bookings.at(-1) : undefined;
    return { bookings, nextCursor: last === undefined ? null : toCursor(positionOf(last, filter), filter) };
  }
}

/**
 * The key as it is stored, up to 299 ASCII characters: the key that was sent, after a digest of the caller's id and a
 * space if the caller is known. Clients cannot send a key with a space, so no key can pass for another caller's.
 */
function storedKey({ key, callerId }: CallersKey): string {
  if (callerId === undefined) return key;
  // UTF-8 would replace every lone surrogate with the same character.
  return `${hash('sha256', Buffer.from(callerId, 'utf16le'), 'base64url')} ${key}`;
}

/** Equal for two payloads if, and only if, they are the same JSON: members are sorted as in RFC 8785. */
function fingerprintOf(payload: CreateBookingDto): string {
  return hash('sha256', stringify(payload), 'base64url');
}
