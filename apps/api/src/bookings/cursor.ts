import { crc32 } from 'node:zlib';
import type { SortOrder } from '@booking-service/contracts';
import { type Booking, isBookingId } from './booking.js';
import { InvalidCursor } from './booking.errors.js';

/** The sort key of the last booking on a page, after which the next page begins (keyset pagination). */
export interface KeysetPosition {
  /** The start of the slot under `start`, milliseconds since 1970; null without a slot, and in the orders of creation. */
  readonly at: number | null;
  readonly bookingId: string;
}

/** Which bookings, and in which order: what a cursor is bound to. */
export interface ListFilter {
  readonly sort: SortOrder;
  readonly resourceId?: string | undefined;
  /** Only bookings whose slot overlaps `[from, to)`, milliseconds since 1970; either may be open. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export function positionOf(booking: Booking, sort: SortOrder): KeysetPosition {
  const isByStart = sort === 'start' || sort === '-start';
  return { at: isByStart ? (booking.slot?.start ?? null) : null, bookingId: booking.bookingId };
}

/** The start of a slot or nothing, the id, and 32 bits of checksum in hexadecimal. */
const CURSOR = /^(-?\d{1,15})?\.([0-9a-f-]{36})\.[0-9a-f]{8}$/;

/**
 * Writes a position as an opaque cursor that needs no escapes in a URL. It carries all that the next page needs, so
 * that every replica reads it, also after a restart, and a checksum over itself and the filter, so that a damaged or
 * misused cursor is rejected. It holds no secret: it says no more than the booking does.
 */
export function toCursor({ at, bookingId }: KeysetPosition, filter: ListFilter): string {
  const text = `${at ?? ''}.${bookingId}`;
  return `${text}.${checksum(text, filter)}`;
}

/** @throws InvalidCursor for anything that {@link toCursor} could not have written for this filter */
export function fromCursor(cursor: string, filter: ListFilter): KeysetPosition {
  const [, at, bookingId] = CURSOR.exec(cursor) ?? [];
  // The checksum has no key: anyone can make a correct one for any position. A position only moves where a page
  // begins; the filter of the request decides what is on it.
  if (bookingId === undefined || !isBookingId(bookingId)) throw new InvalidCursor();
  const position = { at: at === undefined ? null : Number(at), bookingId };
  if (toCursor(position, filter) !== cursor) throw new InvalidCursor();
  return position;
}

/** CRC-32, which differs wherever one character of a cursor is changed. */
export function checksum(text: string, { sort, resourceId, from, to, ...others }: ListFilter): string {
  // The resource comes last of these: it alone may hold a space.
  let bound = `${text} ${sort} ${from ?? ''} ${to ?? ''} ${resourceId ?? ''}`;
  // Members of filters to come. A resource has no line break, and cursors made without these members stay valid.
  for (const [name, value] of Object.entries<unknown>(others)) {
    if (value !== undefined) bound += `\n${name} ${JSON.stringify(value)}`;
  }
  return crc32(bound).toString(16).padStart(8, '0');
}
