import { hash } from 'node:crypto';
import { type ListBookingsQuery, type SortOrder, sortOrders } from '@booking-service/contracts';
import { type Booking, isBookingId } from './booking.js';
import { InvalidCursor } from './booking.errors.js';

/** The sort key of a booking, after which a page begins (keyset pagination). */
export interface KeysetPosition {
  /** The start of its slot, in milliseconds since 1970; only in a window. */
  readonly start?: number | undefined;
  readonly bookingId: string;
}

/** Half-open, in milliseconds since 1970. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/** Contains every slot; bounds a window without `from` or `to`. */
export const ALL_TIME: TimeWindow = { from: -(2 ** 50), to: 2 ** 50 };

export interface ListFilter {
  readonly resourceId?: string | undefined;
  /** Selects slots that overlap it, by start, then by id. */
  readonly window?: TimeWindow | undefined;
  /** The order without a window. Default: the newest first. */
  readonly sort?: SortOrder | undefined;
}

export function filterOf(query: Omit<ListBookingsQuery, 'limit' | 'cursor'>): ListFilter {
  const { sort = sortOrders[0], resource_id: resourceId, from, to, ...others } = query;
  // Does not compile if a parameter has no filter.
  others satisfies Record<string, never>;
  if (from === undefined && to === undefined) return { resourceId, sort };
  const window = {
    from: from === undefined ? ALL_TIME.from : Date.parse(from),
    to: to === undefined ? ALL_TIME.to : Date.parse(to),
  };
  return { resourceId, window };
}

export function positionOf(booking: Booking, { window }: ListFilter): KeysetPosition {
  // A stored booking parses its JSON for its slot.
  return { start: window && booking.slot!.start, bookingId: booking.bookingId };
}

/** The start of a slot, if any, an id, and a checksum. */
const CURSOR = /^(-?\d{1,15})?\.([0-9a-f-]{36})\.[\w-]{16}$/;

/** Valid on every replica, even after a restart. The checksum rejects damaged cursors and those of other filters. */
export function toCursor({ start, bookingId }: KeysetPosition, filter: ListFilter): string {
  const text = `${start ?? ''}.${bookingId}`;
  return `${text}.${checksum(text, filter)}`;
}

/** @throws InvalidCursor for any text but those of {@link toCursor} with this filter */
export function fromCursor(cursor: string, filter: ListFilter): KeysetPosition {
  const [, start, bookingId] = CURSOR.exec(cursor) ?? [];
  if (bookingId === undefined || !isBookingId(bookingId)) throw new InvalidCursor();
  const position = { start: start === undefined ? undefined : Number(start), bookingId };
  const isOfItsKind = (start === undefined) === (filter.window === undefined);
  if (toCursor(position, filter) !== cursor || !isOfItsKind) throw new InvalidCursor();
  return position;
}

/** 96 bits of SHA-256, as base64url. */
export function checksum(text: string, filter: ListFilter): string {
  // JSON leaves out undefined members, so cursors stay valid when filters get a new one.
  return hash('sha256', `${text} ${JSON.stringify(filter)}`, 'base64url').slice(0, 16);
}
