import { hash } from 'node:crypto';
import type { CreateBookingDto, ListBookingsQuery } from '@booking-service/contracts';
import { Injectable } from '@nestjs/common';
import { stringify } from 'safe-stable-stringify';
import { V7Generator } from 'uuidv7';
import { type Booking, NewBooking, toInstant } from './booking.js';
import { BookingNotFound } from './booking.errors.js';
import { BookingsRepository, type CreateOutcome } from './bookings.repository.js';
import { fromCursor, type ListFilter, positionOf, toCursor } from './cursor.js';
import { RandomNumbers } from './random-numbers.js';
import { storedKey } from './stored-key.js';

export interface ListedBookings {
  readonly bookings: readonly Booking[];
  /** The cursor of the next page; null exactly when nothing follows. */
  readonly nextCursor: string | null;
}

/** The three operations of the Booking Service Interface (Preview). */
@Injectable()
export class BookingsService {
  private readonly ids = new V7Generator(new RandomNumbers());

  constructor(private readonly bookings: BookingsRepository) {}

  /**
   * @param callerId whose key it is, where the service asks for tokens
   * @throws SlotTaken, IdempotencyKeyReused, StoreUnavailable
   */
  create(payload: CreateBookingDto, idempotencyKey?: string, callerId?: string): Promise<CreateOutcome> {
    const booking = new NewBooking(this.ids.generate().toString(), payload);
    if (idempotencyKey === undefined) return this.bookings.create(booking);
    return this.bookings.create(booking, {
      key: storedKey(idempotencyKey, callerId),
      fingerprint: fingerprintOf(payload),
    });
  }

  /** @throws BookingNotFound, StoreUnavailable */
  async get(bookingId: string): Promise<Booking> {
    const booking = await this.bookings.find(bookingId);
    if (booking === undefined) throw new BookingNotFound();
    return booking;
  }

  /** @throws InvalidCursor, StoreUnavailable */
  async list(query: ListBookingsQuery): Promise<ListedBookings> {
    const { sort, resource_id: resourceId, limit, cursor } = query;
    const from = query.from === undefined ? undefined : toInstant(query.from);
    const to = query.to === undefined ? undefined : toInstant(query.to);
    const filter: ListFilter = { sort, resourceId, from, to };
    const after = cursor === undefined ? undefined : fromCursor(cursor, filter);
    // Not `...filter`: a spread with members after it takes V8 2 µs (docs/performance.md).
    const { bookings, hasMore } = await this.bookings.list({ sort, resourceId, from, to, limit, after });
    const last = hasMore ? bookings.at(-1) : undefined;
    return { bookings, nextCursor: last === undefined ? null : toCursor(positionOf(last, sort), filter) };
  }
}

/** Equal for two payloads exactly when they are the same JSON, whatever its white space and order: members are sorted as in RFC 8785. */
function fingerprintOf(payload: CreateBookingDto): string {
  return hash('sha256', stringify(payload), 'base64url');
}
