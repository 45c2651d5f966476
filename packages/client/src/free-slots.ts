import type { CallOptions } from './options.js';
import type { Instant } from './requests.js';
import type { SlotDto } from './types.js';

/** A half-open time `[start, end)` in which nothing is booked; RFC 3339 in UTC, as a create takes it. */
export type FreeSlot = Pick<SlotDto, 'start' | 'end'>;

export interface FreeSlotsOptions extends CallOptions {
  /** Milliseconds that a free slot lasts at least. By default all of them count. */
  atLeast?: number | undefined;
}

/**
 * The gaps that bookings leave in a window, the earliest first.
 *
 * @param bookings those whose slots overlap the window, by start
 * @throws RangeError as `BookingsClient.freeSlots` does, before it takes the first booking
 */
export async function* gapsBetween(
  bookings: AsyncIterable<{ slot?: SlotDto | undefined }>,
  [from, to, atLeast]: [from: Instant, to: Instant, atLeast: number],
): AsyncGenerator<FreeSlot, void, undefined> {
  let free = new Date(from);
  const last = new Date(to);
  if (!(free < last && atLeast >= 0)) throw new RangeError('from must be before to, and atLeast milliseconds from 0');
  const gapUntil = (end: Date): FreeSlot[] =>
    Number(end) - Number(free) >= Math.max(atLeast, 1) ? [{ start: free.toISOString(), end: end.toISOString() }] : [];
  for await (const { slot } of bookings) {
    if (slot === undefined) continue;
    yield* gapUntil(new Date(slot.start));
    free = new Date(slot.end);
  }
  yield* gapUntil(last);
}
