import type { BookingDto, BookingsClient, ListBookingsQueryDto } from '@booking-service/client';

/** Milliseconds since 1970, half-open: `[from, to)`. */
export interface Window {
  from: number;
  to: number;
}

/** Walks at the same time; more would only wait for each other. */
const PARTS = 4;
const PAGE = 100;

/**
 * Reads every booking that overlaps a window. A page is enough for most; where it is not, what lies behind its last
 * booking is read in parts at the same time.
 *
 * @param takeFirst gets the bookings of the first page
 * @param take gets all others as they come, and some of them twice
 */
export async function readWindow(
  client: BookingsClient,
  { from, to }: Window,
  signal: AbortSignal,
  takeFirst: (bookings: BookingDto[]) => void,
  take: (bookings: BookingDto[]) => void,
): Promise<void> {
  const options = { signal, maxRetries: 0 };
  const query = { sort: 'start', limit: PAGE, to: instantText(to) } satisfies ListBookingsQueryDto;
  const first = await client.list({ ...query, from: instantText(from) }, options);
  takeFirst(first.bookings);
  if (first.next_cursor === null) return;
  const reached = Math.max(from, Date.parse(first.bookings.at(-1)?.slot?.start ?? ''));
  const width = Math.ceil((to - reached) / PARTS);
  const parts = Array.from({ length: PARTS }, async (_, index) => {
    const [start, end] = [reached + index * width, Math.min(to, reached + (index + 1) * width)];
    if (start >= end) return;
    const bookings: BookingDto[] = [];
    const part = { ...query, from: instantText(start), to: instantText(end) };
    for await (const booking of client.listAll(part, options)) bookings.push(booking);
    take(bookings);
  });
  await Promise.all(parts);
}

function instantText(instant: number): string {
  return new Date(instant).toISOString();
}
