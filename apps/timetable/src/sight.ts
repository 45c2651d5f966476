import type { Axis } from './axis.js';
import type { Slot } from './schedule.js';
import type { VirtualRows } from './virtual-rows.js';

/** Pixels around a slot that is scrolled into sight. */
const MARGIN = 12;
/** Pixels that the text of a mark takes above or below its row. */
const TEXT = 26;

export interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly width: number;
}

/** Where slots are in the grid, and what of it is in sight. */
export class Sight {
  constructor(
    private readonly grid: HTMLElement,
    private readonly body: HTMLElement,
    private readonly rows: VirtualRows,
  ) {}

  /** Pixels beside the names. */
  get room(): number {
    return this.grid.clientWidth - this.rows.names;
  }

  /** @returns undefined for a slot of another time or of no row */
  placeOf(axis: Axis, { resource, start, end }: Slot): Rectangle | undefined {
    const index = this.rows.indexOf(resource);
    if (index < 0 || start >= axis.span.end || end <= axis.span.start) return undefined;
    const [from, to] = [axis.x(start), axis.x(end)];
    return { left: this.rows.names + from, width: to - from, top: this.rows.top(index) };
  }

  /** Where a text of a place goes: below it, or above it where that is out of sight; `left` counts from the place. */
  textOf({ left, top }: Rectangle, width: number): { left: number; isAbove: boolean } {
    const { grid, rows, room } = this;
    const first = grid.scrollLeft + rows.names;
    const inSight = Math.max(first, Math.min(left, first + room - width));
    return { left: inSight - left, isAbove: top + rows.height + TEXT > grid.scrollTop + this.#tall };
  }

  /** Scrolls an instant to a share of the width. */
  toTime(axis: Axis, instant: number, share: number): void {
    this.grid.scrollLeft = axis.x(instant) - this.room * share;
  }

  /** Scrolls a place into sight, past the names and the hours. */
  reveal({ left, top, width }: Rectangle): void {
    const { grid, rows, room } = this;
    const from = left - rows.names - MARGIN;
    grid.scrollLeft = Math.min(from, Math.max(from + width + 2 * MARGIN - room, grid.scrollLeft));
    grid.scrollTop = Math.min(top, Math.max(top + rows.height + MARGIN - this.#tall, grid.scrollTop));
  }

  /** Keeps the first time in sight where it is while the axis changes. */
  keep(axis: Axis, before: Axis): void {
    this.grid.scrollLeft = axis.x(before.instant(this.grid.scrollLeft));
  }

  /** Pixels below the hours. */
  get #tall(): number {
    return this.grid.clientHeight - this.body.offsetTop;
  }
}
