import type { Axis } from './axis.js';
import { byId, make, place } from './dom.js';
import { has12Hours, hourText } from './locale.js';
import { dayText, isWithin } from './span.js';

/** Minimum distance of two hour labels in pixels. */
const LABEL = has12Hours ? 56 : 44;

const head = byId('hours');
const lines = byId('lines');

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
    return element;
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
      if (isNamed) add(labels, 'hour', at, hourText(hour));
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
  time.textContent = axis.span.zone.clock(now);
  place(line, names + axis.x(now));
  place(time, axis.x(now));
  // Labels that it would cover.
  for (const label of head.querySelectorAll<HTMLElement>('.hour')) {
    const distance = Number.parseFloat(label.style.left) + LABEL / 2 - axis.x(now);
    label.style.visibility = Math.abs(distance) < LABEL && !time.hidden ? 'hidden' : '';
  }
  place(byId('past'), names, axis.x(now));
}
