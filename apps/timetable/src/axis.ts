import { ALL_HOURS, type Hours } from './hours.js';
import type { Range } from './schedule.js';
import type { Day, Span } from './span.js';

/** Minimum width of an hour in pixels, for a mouse and for fingers. */
const LEAST = { day: 44, week: 12 };
export const LEAST_FOR_FINGERS = { day: 60, week: 22 };
/** Width of a folded night in pixels. */
const FOLDED = { day: 18, week: 6 };
const HOUR = 3_600_000;

/** A part of the axis; within one, the scale is elapsed time, not clock time. */
export interface Part {
  readonly start: number;
  readonly end: number;
  readonly left: number;
  readonly width: number;
  readonly isFolded: boolean;
}

/** Maps instants to pixels. */
export class Axis {
  /** Width of an hour in pixels, outside of folded nights. */
  readonly hour: number;
  readonly width: number;
  readonly parts: readonly Part[];

  /**
   * @param room pixels available for the span
   * @param hours outside of which time is folded
   * @param least minimum width of an hour; with less room the axis is wider than that
   */
  constructor(
    readonly span: Span,
    room: number,
    hours: Hours = ALL_HOURS,
    least = LEAST,
  ) {
    const kind = span.days.length > 1 ? 'week' : 'day';
    const parts = span.days.flatMap((day) => partsOf(day, hours));
    const sum = (isFolded: boolean) =>
      parts.reduce((length, part) => length + (part.isFolded === isFolded ? part.end - part.start : 0), 0);
    const nights = parts.filter(({ isFolded }) => isFolded).length * FOLDED[kind];
    this.hour = Math.max(least[kind], (room - nights) / (sum(false) / HOUR));
    let left = 0;
    this.parts = parts.map(({ start, end, isFolded }) => {
      const width = isFolded ? FOLDED[kind] : ((end - start) / HOUR) * this.hour;
      left += width;
      return { start, end, isFolded, width, left: left - width };
    });
    this.width = left;
  }

  /** Pixels from the start of the span, clamped to it. */
  x(instant: number): number {
    const { start, end, left, width } = this.parts.find((part) => instant < part.end) ?? this.parts.at(-1)!;
    return left + (Math.min(end - start, Math.max(0, instant - start)) / (end - start)) * width;
  }

  instant(x: number): number {
    const { start, end, left, width } = this.parts.find((part) => x < part.left + part.width) ?? this.parts.at(-1)!;
    return start + ((x - left) / width) * (end - start);
  }

  isFolded(instant: number): boolean {
    return this.parts.some(({ start, end, isFolded }) => isFolded && instant >= start && instant < end);
  }

  /** Whether an axis has everything where this one has it. */
  equals(other: Axis | undefined): boolean {
    const isSame = this.span === other?.span && this.hour === other.hour && this.parts.length === other.parts.length;
    return (
      isSame &&
      this.parts.every(
        ({ start, left }, index) => other.parts[index]!.start === start && other.parts[index]!.left === left,
      )
    );
  }
}

/** The times of a span that are not folded. */
export function openTimes(span: Span, hours: Hours): Range[] {
  const { start, end } = span;
  if (hours.from === 0 && hours.to === 24) return [{ start, end }];
  return span.days.flatMap((day) => partsOf(day, hours)).filter(({ isFolded }) => !isFolded);
}

/** A day in which the clock changes is shown whole. */
function partsOf({ start, end, ticks, change }: Day, hours: Hours): Omit<Part, 'left' | 'width'>[] {
  const atHour = (hour: number) => ticks.find((tick) => tick.hour >= hour)?.at ?? end;
  const [from, to] = change ? [start, end] : [hours.from === 0 ? start : atHour(hours.from), atHour(hours.to)];
  return [
    { start, end: from, isFolded: true },
    { start: from, end: to, isFolded: false },
    { start: to, end, isFolded: true },
  ].filter((part) => part.end > part.start);
}
