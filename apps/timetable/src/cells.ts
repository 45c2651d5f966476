import type { Slot } from './bookings.js';
import { byId, make } from './dom.js';
import { type Cell, type Row } from './rows.js';
import { clockText, countText, dayText, timesText } from './texts.js';
import { durationText, HOUR, isWithin, type Range, type Span } from './time.js';
import type { View } from './view.js';

function shareOf({ start, end }: Range, instant: number): number {
  return ((Math.min(end, Math.max(start, instant)) - start) / (end - start)) * 100;
}

/** Places an element over a time, through the CSSOM, which the page's content security policy allows. */
function place<Placed extends HTMLElement>(element: Placed, span: Range, start: number, end = start): Placed {
  element.style.left = `${shareOf(span, start)}%`;
  if (end > start) element.style.width = `${shareOf(span, end) - shareOf(span, start)}%`;
  return element;
}

export function drawHead({ days, zone, start, end }: Span): void {
  const [day, isWeek] = [days[0]!, days.length > 1];
  const hours = isWeek ? [] : day.hours;
  const heads = days.map((one) => {
    const ariaCurrent = isWithin(one, Date.now()) ? 'date' : null;
    const head = make('button', { className: 'day', tabIndex: -1, ariaCurrent }, dayText(zone, one.start));
    head.dataset['date'] = one.date;
    return head;
  });
  const drawn = hours.map(({ at, hour }) => {
    const text = clockText(String(hour).padStart(2, '0'));
    return place(make('div', { className: 'hour' }, text), day, at);
  });
  byId('hours').replaceChildren(...(isWeek ? heads : drawn));
  byId('lines').replaceChildren(...hours.map(({ at }) => place(make('div'), day, at)), make('div', { id: 'now' }));
  byId('grid').style.setProperty('--hours', String(isWeek ? 0 : (end - start) / HOUR));
}

/** Draws the line of the current time, and shades what is past. */
export function drawNow(span: Span): void {
  const now = Date.now();
  byId('now').hidden = !isWithin(span, now) || span.days.length > 1;
  place(byId('now'), span, span.start, now);
}

/** Outlines a slot over the row at `top`, with its times. */
export function drawMark(mark: HTMLElement, slot: Slot, span: Span, top: number, isTaken: boolean): void {
  place(mark, span, slot.start, slot.end).style.top = `${top}px`;
  mark.dataset['note'] = timesText(span.zone, slot);
  mark.classList.toggle('taken', isTaken);
}

export function drawRow(element: HTMLElement, row: Row, cells: readonly Cell[], span: Span, view: View): void {
  element.style.setProperty('--hue', String(255 - row.tint * 100));
  const name = make('div', { className: 'name', role: 'rowheader' }, make('bdi', {}, row.text));
  if (row.count === undefined) name.title = name.ariaLabel = row.key;
  else name.append(make('small', {}, `(${row.count})`));
  const drawn = cells.map((cell) => {
    const own = make('div', { className: 'cell', role: 'gridcell', tabIndex: -1 });
    own.dataset['at'] = String(cell.start);
    own.classList.toggle('wanted', cell.isWanted);
    own.classList.toggle('unread', cell.isUnread === true);
    own.classList.toggle('found', cell.isFound);
    if (cell.day) drawDay(own, cell, span, view);
    else drawPart(place(own, span, cell.start, cell.end), cell, span);
    return own;
  });
  element.role = 'row';
  element.replaceChildren(name, make('div', { className: 'cells', role: 'presentation' }, ...drawn));
}

function drawPart(element: HTMLElement, { start, end, booked, isUnread, isWanted }: Cell, span: Span): void {
  const when = timesText(span.zone, { start, end }, span.days[0]!.date);
  const length = durationText(end - start);
  if (booked) {
    const { label } = booked;
    element.classList.add('booked');
    element.ariaLabel = `${label}, ${when}`;
    element.title = `${label}\n${when} · ${length}`;
    element.dir = 'auto';
    element.append(end - start < 2 * HOUR ? label : make('span', {}, label));
    element.dataset['note'] = when.replace(' to ', '–');
  } else if (isUnread) {
    element.title = element.ariaLabel = `Not read, ${when}`;
    element.append(make('span', {}, 'Not read'));
  } else {
    element.classList.add('free');
    element.ariaLabel = `Free ${when}, ${length}${end <= Date.now() ? ', in the past' : ''}`;
    if (isWanted) element.append(make('span', {}, `Free ${when}`));
  }
}

function drawDay(element: HTMLElement, cell: Cell, { zone }: Span, { at }: View): void {
  const within = cell.day!.map(({ start, end }) => [Math.max(start, cell.start), Math.min(end, cell.end)] as const);
  const taken = durationText(within.reduce((sum, [start, end]) => sum + end - start, 0));
  const count = within.length > 0 ? `${countText(within.length, 'booking')}, ${taken} taken` : 'no bookings';
  const hours = at === '' ? `between ${clockText('08')} and ${clockText('18')}` : `at ${clockText(at)}`;
  const state = cell.isWanted ? `free ${hours}` : cell.isUnread ? 'not read' : '';
  element.className += cell.end <= Date.now() ? ' total past' : ' total';
  element.title = element.ariaLabel = `${dayText(zone, cell.start)}: ${count}${state && `, ${state}`}. Show this day`;
  element.dataset['note'] = cell.isWanted ? 'free' : state || (within.length > 0 ? `${taken} taken` : '');
  element.append(within.length > 0 ? String(within.length) : '');
  const stops = within.map(([start, end]) => {
    const [from, to] = [shareOf(cell, start), shareOf(cell, end)].map((share) => `${share.toFixed(2)}%`);
    return `var(--line) ${from}, var(--edge) ${from} ${to}, var(--line) ${to}`;
  });
  const colors = ['var(--line)', ...stops, 'var(--line)'].join();
  element.style.setProperty('--bar-of-taken', `linear-gradient(90deg, ${colors})`);
}
