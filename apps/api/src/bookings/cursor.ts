import { hash } from 'node:crypto';
import type { ListBookingsQuery, SortOrder } from '@booking-service/contracts';
import { type Booking, isBookingId, toInstant } from './booking.js';
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

/** What a query that its schema accepted filters by. */
export function filterOf({ sort, resource_id: resourceId, from, to }: ListBookingsQuery): ListFilter {
  return {
    sort,
    resourceId,
    from: from === undefined ? undefined : toInstant(from),
    to: to === undefined ? undefined : toInstant(to),
  } satisfies Record<keyof ListFilter, unknown>;
}

export function positionOf(booking: Booking, sort: SortOrder): KeysetPosition {
  const isByStart = sort === 'start' || sort === '-start';
  return { at: isByStart ? (booking.slot?.start ?? null) : null, bookingId: booking.bookingId };
}

/** The start of a slot or nothing, the id, and a checksum: 96 bits as base64url. */
const CURSOR = /^(-?\d{1,15})?\.([0-9a-f-]{36})\.[\w-]{16}$/;

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
  if (toCursor(position, filter) !== cursor || !isOnList(position, filter)) throw new InvalidCursor();
  return position;
}

/** 96 bits of SHA-256 over a position and its filter: no two filters that anyone has are likely to share them. */
export function checksum(text: string, { sort, resourceId, from, to, ...others }: ListFilter): string {
  // The resource comes last of these: it alone may hold a space.
  let bound = `${text} ${sort} ${from ?? ''} ${to ?? ''} ${resourceId ?? ''}`;
  // Members of filters to come. A resource has no line break, and cursors made without these members stay valid.
  for (const [name, value] of Object.entries<unknown>(others)) {
    if (value !== undefined) bound += `\n${name} ${JSON.stringify(value)}`;
  }
  return hash('sha256', bound, 'base64url').slice(0, 16);
}

/** Whether a list of the filter may have a booking there. The start alone does not say that one ends before `from`. */
function isOnList({ at }: KeysetPosition, { sort, resourceId, from, to }: ListFilter): boolean {
  const isByStart = sort === 'start' || sort === '-start';
  if (at !== null) return isByStart && at < (to ?? Infinity);
  return !isByStart || (resourceId === undefined && from === undefined && to === undefined);
}
