import { type BookingPageDto, InvalidRequestError, type ListQuery } from '@booking-service/client';
import type { Schedule } from './schedule.js';

/** Bookings on a page, and newest ones that a poll begins with. */
const [MANY, FEW] = [100, 20];
/** Pages of new bookings after which it is quicker to read the window again. */
const MAX_PAGES = 10;
/** Ids that are kept to recognize what was read. */
const MAX_IDS = 500;

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
    const query = { sort: 'start' as const, limit: MANY, from, to, cursor: this.#cursor };
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
   * Reads from the newest booking back to one that it has read before.
   *
   * @returns false if bookings may be missing: too many are new, or those that were read before are gone
   */
  async readNewest(list: List): Promise<boolean> {
    const known = this.#newest;
    const ids: string[] = [];
    let isMet = known === undefined;
    let cursor: string | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const limit = known === undefined || pages > 0 ? MANY : FEW;
      const { bookings, next_cursor: next } = await list({ sort: '-created_at', limit, cursor });
      this.schedule.add(bookings);
      ids.push(...bookings.map(({ booking_id: id }) => id));
      isMet ||= next === null && known?.size === 0;
      isMet ||= ids.some((id) => known!.has(id));
      if (isMet || next === null) break;
      cursor = next;
    }
    this.#newest = new Set([...ids, ...(isMet ? (known ?? []) : [])].slice(0, MAX_IDS));
    return isMet;
  }
}
