import { hash } from 'node:crypto';
import { type ListBookingsQuery, type SortOrder, sortOrders } from '@booking-service/contracts';
import { InvalidCursor } from './booking.errors.js';
import { type Booking, isBookingId } from './booking.js';

/** The place after which a page begins: the sort key of a booking (keyset pagination). */
export interface KeysetPosition {
  /** Start of the booking's slot, in milliseconds since 1970; undefined if the list has no window. */
  readonly start?: number | undefined;
  readonly bookingId: string;
}

/** A half-open window: `[from, to)`, in milliseconds since 1970. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/** A window that contains every slot. Its bounds stand in for a missing `from` or `to`. */
export const ALL_TIME: TimeWindow = { from: -(2 ** 50), to: 2 ** 50 };

export interface ListFilter {
  readonly resourceId?: string | undefined;
  /** Selects bookings whose slots overlap this window, ordered by start, then by id. */
  readonly window?: TimeWindow | undefined;
  /** Order of a list without a window; default: newest first. */
  readonly sort?: SortOrder | undefined;
}

export function filterOf(query: Omit<ListBookingsQuery, 'limit' | 'cursor'>): ListFilter {
  const { sort = sortOrders[0], resource_id: resourceId, from, to, ...others } = query;
  // Fails to compile if a parameter is not handled.
  others satisfies Record<string, never>;
  if (from === undefined && to === undefined) return { resourceId, sort };
  const window = {
    from: from === undefined ? ALL_TIME.from : Date.parse(from),
    to: to === undefined ? ALL_TIME.to : Date.parse(to),
  };
  return { resourceId, window };
}

export function positionOf(booking: Booking, { window }: ListFilter): KeysetPosition {
  // The slot is read only if there is a window, since a stored booking must parse its JSON to return the slot.
  return { start: window && booking.slot!.start, bookingId: booking.bookingId };
}

/** The start of a slot (only if the list has a window), an id, and a checksum. */
const CURSOR = /^(-?\d{1,15})?\.([0-9a-f-]{36})\.[\w-]{16}$/;

/**
 * Makes a cursor that is valid on every replica, even after a restart. Its checksum reveals damage, and use with
 * another filter.
 */
export function toCursor({ start, bookingId }: KeysetPosition, filter: ListFilter): string {
  const text = `${start ?? ''}.${bookingId}`;
  return `${text}.${checksum(text, filter)}`;
}

/** @throws InvalidCursor for any text that {@link toCursor} would not return for this filter */
export function fromCursor(cursor: string, filter: ListFilter): KeysetPosition {
  const [, start, bookingId] = CURSOR.exec(cursor) ?? [];
  if (bookingId === undefined || !isBookingId(bookingId)) throw new InvalidCursor();
  const position = { start: start === undefined ? undefined : Number(start), bookingId };
  const fitsOrder = (start === undefined) === (filter.window === undefined);
  if (toCursor(position, filter) !== cursor || !fitsOrder) throw new InvalidCursor();
  return position;
}

/** Covers a cursor's text and the filter: 96 bits of SHA-256, as base64url. */
export function checksum(text: string, filter: ListFilter): string {
  // JSON leaves out undefined members, so cursors stay valid when a later version adds an optional member.
  return hash('sha256', `${text} ${JSON.stringify(filter)}`, 'base64url').slice(0, 16);
}
