import type { SortOrder } from '@booking-service/contracts';
import { type Booking, isBookingId } from './booking.js';
import { InvalidCursor } from './booking.errors.js';

/** A place in an order of the list: that of one booking, whether or not it is still looked at. */
export interface ListPosition {
  /** The start of the slot under `start`, milliseconds since 1970; null without a slot, and in the orders of creation. */
  readonly at: number | null;
  readonly bookingId: string;
}

/** Which bookings, in which order: what a cursor is bound to. */
export interface ListFilter {
  readonly sort: SortOrder;
  readonly resourceId?: string | undefined;
  /** Only bookings whose slot overlaps `[from, to)`, milliseconds since 1970; either may be open. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export function positionOf(booking: Booking, sort: SortOrder): ListPosition {
  const isByStart = sort === 'start' || sort === '-start';
  return { at: isByStart ? (booking.slot?.start ?? null) : null, bookingId: booking.bookingId };
}

/** The start of a slot or nothing, the id, and 32 bits of checksum in hexadecimal. */
const CURSOR = /^(-?\d{1,15})?\.([0-9a-f-]{36})\.[0-9a-f]{8}$/;

/**
 * Writes a position as an opaque cursor, of characters that a URL takes as they are. It carries all
 * that the next page needs, so that every replica reads it, also after a restart, and a checksum over
 * itself and the filter, so that a damaged or misused one is told apart. It is not a secret: it says
 * no more than the booking does.
 */
export function toCursor({ at, bookingId }: ListPosition, filter: ListFilter): string {
  const text = `${at ?? ''}.${bookingId}`;
  return `${text}.${checksum(text, filter)}`;
}

/** @throws InvalidCursor for anything that {@link toCursor} could not have written for this filter */
export function fromCursor(cursor: string, filter: ListFilter): ListPosition {
  const [, at, bookingId] = CURSOR.exec(cursor) ?? [];
  // The checksum has no secret: whoever rebuilds it can put any position before it.
  if (bookingId === undefined || !isBookingId(bookingId)) throw new InvalidCursor();
  const position = { at: at === undefined ? null : Number(at), bookingId };
  if (toCursor(position, filter) !== cursor) throw new InvalidCursor();
  return position;
}

/**
 * FNV-1a with 32 bits. Every step is one to one, so that no change of a single character goes
 * unseen; `crc32` of Node says no more, and a cursor takes 0.65 µs with it instead of 0.4.
 */
export function checksum(text: string, { sort, resourceId, from, to }: ListFilter): string {
  // The resource comes last: it alone may hold a space.
  const bound = `${text} ${sort} ${from ?? ''} ${to ?? ''} ${resourceId ?? ''}`;
  let hash = 0x811c9dc5;
  for (let index = 0; index < bound.length; index++) hash = Math.imul(hash ^ bound.charCodeAt(index), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
