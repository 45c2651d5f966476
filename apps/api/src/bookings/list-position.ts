import { crc32 } from 'node:zlib';
import type { SortOrder } from '@booking-service/contracts';
import { z } from 'zod';
import { type Booking, isBookingId } from './booking.js';
import { InvalidCursor } from './booking-errors.js';

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

const positionSchema = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.issues.push({ code: 'custom', input: text });
      return z.NEVER;
    }
  })
  .pipe(z.tuple([z.int().nullable(), z.string().refine(isBookingId)]));

/** Characters of the checksum at the end of a cursor: 32 bits, in hexadecimal. */
const CHECKSUM_LENGTH = 8;

/**
 * Writes a position as an opaque cursor. It carries all that the next page needs, so that every
 * replica reads it, also after a restart, and a checksum over itself and the filter, so that a
 * damaged or misused one is told apart. It is not a secret: it says no more than the booking does.
 */
export function toCursor(position: ListPosition, filter: ListFilter): string {
  const text = Buffer.from(JSON.stringify([position.at, position.bookingId])).toString('base64url');
  return text + checksum(text, filter);
}

/** @throws InvalidCursor for anything that {@link toCursor} could not have written for this filter */
export function fromCursor(cursor: string, filter: ListFilter): ListPosition {
  const text = cursor.slice(0, -CHECKSUM_LENGTH);
  if (cursor.slice(-CHECKSUM_LENGTH) !== checksum(text, filter)) throw new InvalidCursor();
  // The checksum has no secret: whoever rebuilds it can put anything before it.
  const { data: position } = positionSchema.safeParse(Buffer.from(text, 'base64url').toString());
  if (position === undefined) throw new InvalidCursor();
  const [at, bookingId] = position;
  return { at, bookingId };
}

/** A CRC finds every change of a single character, and costs a tenth of a digest (ISO/IEC 13239). */
function checksum(text: string, { sort, resourceId, from, to }: ListFilter): string {
  const bound = JSON.stringify([text, sort, resourceId ?? null, from ?? null, to ?? null]);
  return crc32(bound).toString(16).padStart(CHECKSUM_LENGTH, '0');
}
