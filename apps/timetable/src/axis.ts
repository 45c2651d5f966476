import { byId, make, place } from './dom.js';
import { isWithin, type Span } from './span.js';
import { clockText, dayText, has12Hours, timeText } from './texts.js';

/** Minimum width of an hour in pixels, for a mouse and for fingers. */
const LEAST = { day: 64, week: 3.5 };
const LEAST_FOR_FINGERS = { day: 64, week: 8 };
const HOUR = 3_600_000;
/** Minimum distance of two hour labels in pixels. */
const LABEL = has12Hours ? 56 : 44;

const fingers = matchMedia('(pointer: coarse)');
const head = byId('hours');
const lines = byId('lines');

/** Maps instants to pixels. Its scale is elapsed time, not clock time. */
export class Axis {
  /** Width of an hour in pixels. */
  readonly hour: number;
  readonly width: number;

  /** @param room pixels available for the span; if that is too narrow for its hours, the axis is wider */
  constructor(
    readonly span: Span,
    room: number,
  ) {
    const hours = (span.end - span.start) / HOUR;
    const least = fingers.matches ? LEAST_FOR_FINGERS : LEAST;
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

/** Draws the days, the hours and the lines of a span. */
export function drawAxis(axis: Axis): void {
  const { days, zone } = axis.span;
  const isWeek = days.length > 1;
  const step = [1, 2, 3, 4, 6, 12].find((hours) => hours * axis.hour >= LABEL) ?? 24;
  const labels: Node[] = [make('i', { id: 'now-time', ariaHidden: 'true', hidden: true })];
  const drawn: Node[] = [];
  const add = (parent: Node[], className: string, at: number, text = '') => {
    const element = make('i', { className, ariaHidden: 'true' }, text);
    place(element, axis.x(at));
    parent.push(element);
  };
  for (const { date, start, end, ticks, change } of days) {
    if (isWeek) {
      // Arrows lead to it, as to a cell.
      const button = make('button', { type: 'button', className: 'day', title: 'Show this day', tabIndex: -1 });
      button.dataset['date'] = date;
      button.append(make('span', {}, dayText(zone, start)));
      place(button, axis.x(start), axis.x(end) - axis.x(start));
      labels.push(button);
      add(drawn, 'line midnight', start);
    }
    for (const { at, hour } of ticks) {
      const isNamed = hour % step === 0;
      if (isNamed) add(labels, 'hour', at, clockText(String(hour).padStart(2, '0')));
      if (isNamed || !isWeek) add(drawn, 'line', at);
    }
    if (change) {
      add(labels, 'change', change.at, change.text);
      add(drawn, 'line changed', change.at);
    }
  }
  const hasChange = days.some(({ change }) => change);
  head.closest('.head')?.classList.toggle('tall', isWeek || hasChange);
  head.closest('.head')?.classList.toggle('taller', isWeek && hasChange);
  head.replaceChildren(...labels);
  lines.replaceChildren(...drawn);
  for (const element of [head, lines]) element.style.width = `${axis.width}px`;
}

/** Draws the line of the current time, and shades what is past. */
export function drawNow(axis: Axis, names: number, now: number): void {
  const [line, time] = [byId('now'), byId('now-time')];
  line.hidden = time.hidden = !isWithin(axis.span, now);
  time.textContent = timeText(axis.span.zone, now);
  place(line, names + axis.x(now));
  place(time, axis.x(now));
  // Labels that it would cover.
  for (const label of head.querySelectorAll<HTMLElement>('.hour')) {
    const distance = Number.parseFloat(label.style.left) + LABEL / 2 - axis.x(now);
    label.style.visibility = Math.abs(distance) < LABEL && !time.hidden ? 'hidden' : '';
  }
  place(byId('past'), names, axis.x(now));
}
