import type { Span } from './span.js';

/** Minimum width of an hour in pixels, for a mouse and for fingers. */
const LEAST = { day: 64, week: 3.5 };
export const LEAST_FOR_FINGERS = { day: 64, week: 8 };
const HOUR = 3_600_000;

/** Maps instants to pixels. Its scale is elapsed time, not clock time. */
export class Axis {
  /** Width of an hour in pixels. */
  readonly hour: number;
  readonly width: number;

  /**
   * @param room pixels available for the span
   * @param least minimum width of an hour; with less room the axis is wider than that
   */
  constructor(
    readonly span: Span,
    room: number,
    least = LEAST,
  ) {
    const hours = (span.end - span.start) / HOUR;
    this.hour = Math.max(least[span.days.length > 1 ? 'week' : 'day'], room / hours);
    this.width = hours * this.hour;
  }

  /** Pixels from the start of the span, clamped to it. */
  x(instant: number): number {
    const { start, end } = this.span;
    return ((Math.min(end, Math.max(start, instant)) - start) / HOUR) * this.hour;
  }

  instant(x: number): number {
    return this.span.start + (x / this.hour) * HOUR;
  }
}
