import type { Axis } from './axis.js';
import { byId, make, place } from './dom.js';
import { has12Hours, hourText, isWeekend } from './locale.js';
import { dayTitle, isWithin } from './span.js';

/** Minimum distance of two hour labels in pixels. */
const LABEL = has12Hours ? 56 : 44;

const head = byId('hours');
const lines = byId('lines');

/** Draws the days, the hours and the lines of a span. */
export function drawAxis(axis: Axis): void {
  const { days } = axis.span;
  const isWeek = days.length > 1;
  const step = [1, 2, 3, 4, 6, 12].find((hours) => hours * axis.hour >= LABEL) ?? 24;
  const labels: Node[] = [];
  const drawn: Node[] = [];
  const add = (parent: Node[], className: string, left: number, width?: number, text = '') => {
    const element = make('i', { className, ariaHidden: 'true' }, text);
    place(element, left, width);
    parent.push(element);
  };
  for (const day of days) {
    const [left, right] = [axis.x(day.start), axis.x(day.end)];
    if (isWeekend(day.date)) add(drawn, 'weekend', left, right - left);
    if (isWeek) labels.push(dayButton(day.date, left, right - left));
    for (const { at, hour } of day.ticks) {
      if (axis.isFolded(at)) continue;
      const isNamed = hour % step === 0;
      if (isNamed) add(labels, 'hour', axis.x(at), undefined, hourText(hour));
      if (isNamed || !isWeek) add(drawn, 'line', axis.x(at));
    }
    if (isWeek) add(drawn, 'line midnight', left);
    if (day.change) {
      add(labels, 'change', axis.x(day.change.at), undefined, day.change.text);
      add(drawn, 'line changed', axis.x(day.change.at));
    }
  }
  for (const { isFolded, left, width } of axis.parts) {
    if (!isFolded) continue;
    add(labels, 'night', left, width);
    add(drawn, 'night', left, width);
  }
  const hasChange = days.some(({ change }) => change);
  head.closest('.head')?.classList.toggle('tall', isWeek || hasChange);
  head.closest('.head')?.classList.toggle('taller', isWeek && hasChange);
  head.replaceChildren(...labels);
  lines.replaceChildren(...drawn);
  for (const element of [head, lines]) element.style.width = `${axis.width}px`;
}

/** The heading of a day in a week; its text stays in sight while the day does. */
function dayButton(date: string, left: number, width: number): HTMLElement {
  const button = make('button', { type: 'button', className: 'day', title: 'Show this day' });
  button.dataset['date'] = date;
  button.append(make('span', {}, dayTitle(Date.parse(date))));
  place(button, left, width);
  return button;
}

/** Draws the line of the current time, and shades what is past. */
export function drawNow(axis: Axis, names: number, now: number): void {
  const line = byId('now');
  line.hidden = !isWithin(axis.span, now);
  line.dataset['time'] = axis.span.zone.clock(now);
  place(line, names + axis.x(now));
  place(byId('past'), names, now < axis.span.start ? 0 : axis.x(now));
}
