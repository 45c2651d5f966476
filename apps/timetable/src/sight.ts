import type { Axis } from './axis.js';
import type { Rectangle } from './marks.js';
import type { Slot } from './schedule.js';
import type { VirtualRows } from './virtual-rows.js';

/** Pixels around a slot that is scrolled into sight. */
const MARGIN = 12;
/** Pixels that the text of a mark takes beside it. */
const TEXT = 200;

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
    return {
      left: this.rows.names + from,
      width: to - from,
      top: this.rows.top(index),
      isLate: to + TEXT > this.grid.scrollLeft + this.room,
    };
  }

  /** Scrolls an instant to about a quarter of the width. */
  toTime(axis: Axis, instant: number): void {
    this.grid.scrollLeft = axis.x(instant) - this.room / 4;
  }

  /** Scrolls a place into sight, past the names and the hours. */
  reveal({ left, top, width }: Rectangle): void {
    const { grid, rows, room } = this;
    const tall = grid.clientHeight - this.body.offsetTop;
    const from = left - rows.names - MARGIN;
    grid.scrollLeft = Math.min(from, Math.max(from + width + 2 * MARGIN - room, grid.scrollLeft));
    grid.scrollTop = Math.min(top, Math.max(top + rows.height + MARGIN - tall, grid.scrollTop));
  }

  /** Keeps the first time in sight where it is while the axis changes, unless everything before it is in sight. */
  keep(axis: Axis, before: Axis): void {
    const { scrollLeft } = this.grid;
    const first = before.parts.find(({ left, width, isFolded }) => !isFolded && left + width > scrollLeft);
    const at = Math.max(first?.start ?? axis.span.start, before.instant(scrollLeft));
    const x = axis.x(at);
    const isAllInSight = scrollLeft === 0 && x < this.room / 2;
    this.grid.scrollLeft = isAllInSight ? 0 : x - before.x(at) + scrollLeft;
  }
}
