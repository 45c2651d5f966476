import { type BookingPageDto, InvalidRequestError, type ListQuery } from '@booking-service/client';
import type { Schedule } from './schedule.js';

/** Bookings on a page, and newest ones that a poll begins with. */
const [MANY, FEW] = [100, 20];

export type List = (query: ListQuery) => Promise<BookingPageDto>;

/** Reads the window of a schedule page by page, and what is new. After a failure it continues at its cursor. */
export class Reader {
  /** Whether not all pages of the window have been read. */
  isReading = false;
  #cursor: string | undefined;
  #newest: ReadonlySet<string> | undefined;

  constructor(private readonly schedule: Schedule) {}

  /** The window is to be read from its start. */
  begin(): void {
    this.isReading = true;
    this.#cursor = undefined;
  }

  /** Reads the next page of the window. */
  async readPage(list: List): Promise<void> {
    const { schedule } = this;
    if (this.#cursor === undefined) schedule.beginReading();
    const [from, to] = [schedule.window.start, schedule.window.end].map((instant) => new Date(instant).toISOString());
    const query = { limit: MANY, from, to, cursor: this.#cursor };
    const { bookings, next_cursor: next } = await list(query).catch((error: unknown) => {
      // A service that has lost its secret does not know its cursors.
      if (error instanceof InvalidRequestError) this.#cursor = undefined;
      throw error;
    });
    this.#cursor = next ?? undefined;
    this.isReading = next !== null;
    schedule.add(bookings);
    // In the order of their starts, no booking that is still to come begins before the last one.
    if (this.isReading) schedule.markRead(Date.parse(bookings.at(-1)!.slot!.start));
    else schedule.endReading();
  }

  /**
   * Reads the newest bookings, more of them if none was read before.
   *
   * @returns false if bookings may be missing: too many are new, or those that were read before are gone
   */
  async readNewest(list: List): Promise<boolean> {
    const known = this.#newest;
    let newest: string[] = [];
    let isMet = known === undefined;
    for (const limit of known ? [FEW, MANY] : [MANY]) {
      const { bookings } = await list({ limit });
      this.schedule.add(bookings);
      newest = bookings.map(({ booking_id: id }) => id);
      isMet ||= newest.some((id) => known!.has(id)) || (known!.size === 0 && newest.length < limit);
      if (isMet || newest.length < limit) break;
    }
    this.#newest = new Set(newest);
    return isMet;
  }
}
