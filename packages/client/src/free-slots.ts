import type { CallOptions } from './options.js';
import type { Instant } from './requests.js';
import type { SlotDto } from './types.js';

/** A free time `[start, end)`, in RFC 3339 and UTC. */
export type FreeSlot = Pick<SlotDto, 'start' | 'end'>;

export interface FreeSlotsOptions extends CallOptions {
  /** Minimum milliseconds of a free slot, default 0. */
  atLeast?: number | undefined;
}

/** The gaps that bookings, given in order of start, leave in a window. @throws RangeError as `freeSlots` does */
export async function* gapsBetween(
  bookings: AsyncIterable<{ slot?: SlotDto | undefined }>,
  { from, to, atLeast }: { from: Instant; to: Instant; atLeast: number },
): AsyncGenerator<FreeSlot, void, undefined> {
  let free = new Date(from);
  const last = new Date(to);
  if (!(free < last && atLeast >= 0))
    throw new RangeError('from must be before to, and atLeast a number of milliseconds from 0');
  const gapUntil = (end: Date): FreeSlot[] =>
    Number(end) - Number(free) >= Math.max(atLeast, 1) ? [{ start: free.toISOString(), end: end.toISOString() }] : [];
  for await (const { slot } of bookings) {
    if (slot === undefined) continue;
    yield* gapUntil(new Date(slot.start));
    free = new Date(slot.end);
  }
  yield* gapUntil(last);
}
