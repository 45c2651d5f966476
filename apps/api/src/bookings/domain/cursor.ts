import { hash } from 'node:crypto';
import { type ListBookingsQuery, type SortOrder, sortOrders } from '@booking-service/contracts';
import { type Booking, isBookingId, toInstant } from './booking.js';
import { InvalidCursor } from './booking.errors.js';

/** The sort key of the last booking on a page, after which the next page begins (keyset pagination). */
export interface KeysetPosition {
  /** In a window: the start of its slot, milliseconds since 1970. */
  readonly start?: number | undefined;
  readonly bookingId: string;
}

/** Half-open, in milliseconds since 1970. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** A window beyond all slots, whose sides are those of a window that is open there. */
export const ALL_TIME: Window = { from: -(2 ** 50), to: 2 ** 50 };

/** The bookings of a list and their order, to which its cursors are bound. */
export interface ListFilter {
  readonly resourceId?: string | undefined;
  /** The window that slots overlap; such a list is by start, then by id. */
  readonly window?: Window | undefined;
  /** The order without a window; the newest first by default. */
  readonly sort?: SortOrder | undefined;
}

/** What a query that its schema accepted filters by. */
export function filterOf(query: Omit<ListBookingsQuery, 'limit' | 'cursor'>): ListFilter {
  const { sort = sortOrders[0], resource_id: resourceId, from, to, ...others } = query;
  // A parameter that no filter has would be ignored in silence.
  others satisfies Record<string, never>;
  if (from === undefined && to === undefined) return { resourceId, sort };
  const window = {
    from: from === undefined ? ALL_TIME.from : toInstant(from),
    to: to === undefined ? ALL_TIME.to : toInstant(to),
  };
  return { resourceId, window };
}

/** @param booking one of the list */
export function positionOf({ bookingId, slot }: Booking, { window }: ListFilter): KeysetPosition {
  return { start: window && slot!.start, bookingId };
}

/** The start of a slot or nothing, the id, and a checksum: 96 bits as base64url. */
const CURSOR = /^(-?\d{1,15})?\.([0-9a-f-]{36})\.[\w-]{16}$/;

/**
 * Writes a position as an opaque cursor that needs no escapes in a URL. It carries all that the next page needs, so
 * that every replica reads it, also after a restart, and a checksum over itself and the filter, so that a damaged or
 * misused cursor is rejected. It holds no secret: it says no more than the booking does.
 */
export function toCursor({ start, bookingId }: KeysetPosition, filter: ListFilter): string {
  const text = `${start ?? ''}.${bookingId}`;
  return `${text}.${checksum(text, filter)}`;
}

/** @throws InvalidCursor for anything that {@link toCursor} could not have written for this filter */
export function fromCursor(cursor: string, filter: ListFilter): KeysetPosition {
  const [, start, bookingId] = CURSOR.exec(cursor) ?? [];
  // The checksum has no key: anyone can make a correct one for any position. A position only moves where a page
  // begins; the filter of the request decides what is on it.
  if (bookingId === undefined || !isBookingId(bookingId)) throw new InvalidCursor();
  const position = { start: start === undefined ? undefined : Number(start), bookingId };
  const isOfItsKind = (start === undefined) === (filter.window === undefined);
  if (toCursor(position, filter) !== cursor || !isOfItsKind) throw new InvalidCursor();
  return position;
}

/** 96 bits of SHA-256 over a position and its filter: no two filters that anyone has are likely to share them. */
export function checksum(text: string, filter: ListFilter): string {
  // JSON leaves out what is undefined: cursors stay valid when filters get a new member.
  return hash('sha256', `${text} ${JSON.stringify(filter)}`, 'base64url').slice(0, 16);
}
