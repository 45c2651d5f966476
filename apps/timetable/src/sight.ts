import type { Axis } from './axis.js';
import type { Rectangle } from './marks.js';
import type { Slot } from './schedule.js';
import type { VirtualRows } from './virtual-rows.js';

/** Pixels around a slot that is scrolled into sight. */
const MARGIN = 12;
/** Pixels that the text of a mark takes beside its row. */
const TEXT = 26;

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

  /**
   * Where a text of a mark goes: below its row or above it, as near as there is room in sight that is neither booked nor
   * the line of now.
   *
   * @param width of the text in pixels
   * @returns its distance from the left of the mark
   */
  textOf(axis: Axis, { resource, start }: Slot, width: number): { left: number; isAbove: boolean } {
    const { grid, rows, room } = this;
    const index = rows.indexOf(resource);
    const [from, top, now] = [axis.x(start), rows.top(index), axis.x(Date.now())];
    const [first, last] = [grid.scrollLeft, grid.scrollLeft + room - width];
    const inSight = Math.max(first, Math.min(from, last));
    const isInSight = top + rows.height + TEXT < grid.scrollTop + this.#tall;
    const spotsOf = (row: number, isAbove: boolean) => {
      const booked = rows.bookedIn(row, axis.span).map((slot) => [axis.x(slot.start), axis.x(slot.end)]);
      const taken = [[now - 1, now + 1], ...booked] as [number, number][];
      return [inSight, ...taken.flatMap(([left, right]) => [left - width, right])]
        .filter((left) => left >= first && left <= last)
        .filter((left) => taken.every((other) => other[1] <= left || other[0] >= left + width))
        .map((left) => ({ left: left - from, isAbove }));
    };
    const below = isInSight ? spotsOf(index + 1, false) : [];
    const above = index > 0 && top - TEXT > grid.scrollTop ? spotsOf(index - 1, true) : [];
    const [nearest] = [...below, ...above].toSorted((one, other) => Math.abs(one.left) - Math.abs(other.left));
    return nearest ?? { left: inSight - from, isAbove: !isInSight };
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
