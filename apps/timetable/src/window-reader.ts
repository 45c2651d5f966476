import { cut, type Range } from './ranges.js';
import type { Schedule } from './schedule.js';
import { type List, Walk } from './walk.js';

/**
 * Milliseconds after which the whole window is read again: a booking that was committed late can be older than a known
 * one, and is then not among the newest; one that an operator deleted is not there any more.
 */
const WHOLE_AFTER = 5 * 60_000;
/** Pages of a window that are read again at once; those after them one at each poll. */
const AT_ONCE = 5;
/** Parts of a window with many bookings, and how many of them are read at the same time. */
const PARTS = 8;
const AT_A_TIME = 4;

/** Reads the window on the page: what is not known of it, and all of it again from time to time. */
export class WindowReader {
  #window: Range | undefined;
  /** Read the first parts of the window that are not read. */
  #walks: Walk[] = [];
  #parts = 1;
  /** Reads the whole window again. */
  #again: { walk: Walk; begun: number } | undefined;
  /** When the whole window was last read, and its pages; undefined if it must be read again. */
  #whole: { at: number; pages: number } | undefined;

  constructor(private readonly schedule: Schedule) {}

  /** Switches to another window. @returns whether it is another one */
  show({ start, end }: Range): boolean {
    if (this.#window?.start === start && this.#window.end === end) return false;
    this.#window = { start, end };
    this.#restart();
    // Where nothing of it is known, all of it is read now.
    if (this.share > 0) this.#whole = undefined;
    return true;
  }

  /** Share of the window that has been read, 0 to 1. */
  get share(): number {
    if (this.#window === undefined) return 0;
    const { start, end } = this.#window;
    const unread = this.schedule.unread(this.#window).reduce((sum, gap) => sum + gap.end - gap.start, 0);
    return 1 - unread / (end - start);
  }

  /** Nothing counts as read any more. */
  forget(): void {
    this.schedule.forgetRead();
    this.#restart();
  }

  /** The whole window is to be read again: at most a page for each second since it was last read. */
  expire(): void {
    if (this.#whole && Date.now() - this.#whole.at > this.#whole.pages * 1_000) this.#whole = undefined;
  }

  /**
   * Reads a page of each of the first parts of the window that are not read.
   *
   * @param isLimited whether requests are limited: then they are sent one after the other
   * @returns whether there may be more
   */
  async readPages(list: List, isLimited: boolean): Promise<boolean> {
    if (this.#window === undefined) return false;
    const { start, end } = this.#window;
    const length = (end - start) / this.#parts;
    const unread = this.schedule.unread(this.#window).flatMap((gap) => cut(gap, length, start));
    if (unread.length === 0) return false;
    const next = unread.slice(0, isLimited ? 1 : AT_A_TIME);
    const walks = next.map((part) => this.#walks.find((walk) => walk.continues(part)) ?? new Walk(part));
    this.#walks = walks;
    const pages = await Promise.allSettled(walks.map((walk) => walk.readPage(list, this.schedule)));
    for (const page of pages) if (page.status === 'rejected') throw page.reason;
    if (this.#whole) this.#whole.pages += pages.length;
    if (walks[0]!.isLong && !isLimited) this.#parts = PARTS;
    return true;
  }

  /** Reads the whole window again if it is time, or some more of it. */
  async readAgain(list: List): Promise<void> {
    const isDue = this.#whole === undefined || Date.now() - this.#whole.at > WHOLE_AFTER;
    if (this.#window === undefined || !isDue) return;
    this.#again ??= { walk: new Walk(this.#window), begun: Date.now() };
    const { walk, begun } = this.#again;
    do await walk.readPage(list, this.schedule);
    while (!walk.isDone && walk.pages < AT_ONCE);
    if (!walk.isDone) return;
    this.#whole = { at: begun, pages: walk.pages };
    this.#again = undefined;
  }

  #restart(): void {
    this.#walks = [];
    this.#parts = 1;
    this.#again = undefined;
    this.#whole = { at: Date.now(), pages: 0 };
  }
}
