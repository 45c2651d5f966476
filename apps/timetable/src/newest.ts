import type { Schedule } from './schedule.js';
import type { List } from './walk.js';

/** Number of newest bookings that are read at first, to find resources, and where many are new. */
const MANY = 100;
const FEW = 10;
/** Polls after which many are read. */
const MANY_AFTER = 60;
/** Pages after which it is quicker to read the window again. */
const MAX_PAGES = 10;
/** Ids that are kept to recognize what was read. */
const MAX_IDS = 500;

/** Reads bookings from the newest one back to those it has read before. */
export class Newest {
  #known: ReadonlySet<string> | undefined;
  #limit = MANY;
  #polls = 0;

  /** @returns false if bookings may be missing: too many are new, or those that were read before are gone */
  async read(list: List, schedule: Schedule): Promise<boolean> {
    const known = this.#known;
    const met: string[] = [];
    // From time to time more than the new ones, to find deleted ones.
    if (this.#polls++ % MANY_AFTER === 0) this.#limit = MANY;
    let isMet = known === undefined;
    let cursor: string | undefined;
    let pages = 0;
    do {
      const limit = pages === 0 ? this.#limit : MANY;
      const before = schedule.count;
      const { bookings, next_cursor: next } = await list({ sort: '-created_at', limit, cursor });
      schedule.add(bookings);
      if (pages === 0) {
        // All that were created after the last one are on the page.
        const last = next === null ? '' : bookings.at(-1)!.created_at;
        schedule.removeSlotless(last, new Set(bookings.map(({ booking_id: id }) => id)), before);
      }
      for (const { booking_id: id } of bookings) {
        met.push(id);
        isMet ||= known!.has(id);
      }
      cursor = next ?? undefined;
      pages += 1;
    } while (!isMet && cursor !== undefined && pages < MAX_PAGES);
    const isComplete = isMet || (known?.size === 0 && cursor === undefined);
    // If as many are new next time, one request is enough.
    this.#limit = known === undefined || met.filter((id) => !known.has(id)).length < FEW ? FEW : MANY;
    this.#known = new Set([...met, ...(isComplete ? (known ?? []) : [])].slice(0, MAX_IDS));
    return isComplete;
  }
}
