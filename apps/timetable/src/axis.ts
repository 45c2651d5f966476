import { make, place } from './dom.js';
import { dayTitle, type Span } from './span.js';

/** Minimum width of an hour in pixels. */
const LEAST = { day: 44, week: 12 };
/** Minimum distance of two hour labels in pixels. */
const LABEL = 40;
const HOUR = 3_600_000;

/** Maps instants to pixels. The scale is elapsed time, not clock time. */
export class Axis {
  /** Width of an hour in pixels. */
  readonly hour: number;
  readonly width: number;

  /** @param room pixels available for the span */
  constructor(
    readonly span: Span,
    room: number,
  ) {
    const hours = (span.end - span.start) / HOUR;
    this.hour = Math.max(span.days.length > 1 ? LEAST.week : LEAST.day, room / hours);
    this.width = this.hour * hours;
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

/** Draws the days, the hours and the lines of a span. */
export function drawAxis(axis: Axis, head: HTMLElement, lines: HTMLElement): void {
  const { days } = axis.span;
  const isWeek = days.length > 1;
  const step = [1, 2, 3, 4, 6, 12].find((hours) => hours * axis.hour >= LABEL) ?? 24;
  const labels: Node[] = [];
  const drawn: Node[] = [];
  const add = (parent: Node[], className: string, left: number, width: number | undefined, text: string) => {
    const element = make('i', { className }, text);
    place(element, left, width);
    parent.push(element);
  };
  for (const day of days) {
    if (isWeek)
      add(labels, 'day', axis.x(day.start), axis.x(day.end) - axis.x(day.start), dayTitle(Date.parse(day.date)));
    for (const { at, hour } of day.ticks) {
      const isNamed = hour % step === 0;
      if (isNamed) add(labels, 'hour', axis.x(at), undefined, String(hour).padStart(2, '0'));
      if (isNamed || !isWeek) add(drawn, hour === 0 ? 'line midnight' : 'line', axis.x(at), undefined, '');
    }
    if (day.change) {
      add(labels, 'change', axis.x(day.change.at), undefined, day.change.text);
      add(drawn, 'line changed', axis.x(day.change.at), undefined, '');
    }
  }
  head.closest('.head')?.classList.toggle('tall', isWeek || days.some(({ change }) => change));
  head.replaceChildren(...labels);
  lines.replaceChildren(...drawn);
  for (const element of [head, lines]) element.style.width = `${axis.width}px`;
}
