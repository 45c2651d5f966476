import { type BookingPageDto, InvalidRequestError, type ListQuery } from '@booking-service/client';
import type { Range } from './ranges.js';
import type { Schedule } from './schedule.js';

/** Bookings on a page of a walk. */
const LIMIT = 100;
/** Number of pages from which on a walk is long. */
const LONG = 8;

export type List = (query: ListQuery) => Promise<BookingPageDto>;

/** Reads the bookings of a time page by page, by their start. After a failure it continues at its cursor. */
export class Walk {
  /** Until when all bookings are known. */
  readTo: number;
  pages = 0;
  isDone = false;
  #cursor: string | undefined;
  /** How many bookings were known when it began. */
  #known = 0;
  readonly #met = new Set<string>();

  constructor(readonly time: Range) {
    this.readTo = time.start;
  }

  /** Whether it reads this time from here on. */
  continues({ start, end }: Range): boolean {
    return !this.isDone && this.readTo === start && this.time.end === end;
  }

  /** Whether many more pages are to be expected, if bookings are spread evenly. */
  get isLong(): boolean {
    return !this.isDone && this.time.end - this.readTo > LONG * ((this.readTo - this.time.start) / this.pages);
  }

  /** Reads the next page. When all of them are read, bookings that are on none of them are removed. */
  async readPage(list: List, schedule: Schedule): Promise<void> {
    if (this.#cursor === undefined) this.#known = schedule.count;
    const [from, to] = [this.time.start, this.time.end].map((instant) => new Date(instant).toISOString());
    const { bookings, next_cursor: cursor } = await list({
      sort: 'start',
      limit: LIMIT,
      from,
      to,
      cursor: this.#cursor,
    }).catch((error: unknown) => {
      // A service that has lost its secret does not know its cursors.
      if (error instanceof InvalidRequestError) this.#cursor = undefined;
      throw error;
    });
    this.#cursor = cursor ?? undefined;
    this.pages += 1;
    this.isDone = cursor === null;
    for (const { booking_id: id } of bookings) this.#met.add(id);
    schedule.add(bookings);
    // In the order of their starts, no booking that is still to come begins before the last one.
    const last = Date.parse(bookings.at(-1)?.slot?.start ?? '');
    if (this.isDone) this.readTo = this.time.end;
    else if (last > this.readTo) this.readTo = last;
    schedule.markRead({ start: this.time.start, end: this.readTo });
    if (this.isDone) schedule.removeMissing(this.time, this.#met, this.#known);
  }
}
