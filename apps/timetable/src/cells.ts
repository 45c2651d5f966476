import type { Slot } from './bookings.js';
import { byId, make } from './dom.js';
import { type Cell, isFound, type Row } from './rows.js';
import { clockText, countText, dayText, timesText, timeText } from './texts.js';
import { durationText, isWithin, type Range, type Span } from './time.js';
import type { View } from './view.js';

const HOUR = 3_600_000;
/** From this length on, a label stays in sight while its box is scrolled. */
const STICKY_LENGTH = 4 * HOUR;
/** Hues of groups, in degrees of OKLCH. */
const HUES = [255, 165, 310, 65, 210, 355];

function shareOf({ start, end }: Range, instant: number): number {
  return ((Math.min(end, Math.max(start, instant)) - start) / (end - start)) * 100;
}

/** Places an element over a time, through the CSSOM, which the page's content security policy allows. */
function place<Placed extends HTMLElement>(element: Placed, span: Range, start: number, end = start): Placed {
  element.style.left = `${shareOf(span, start)}%`;
  if (end > start) element.style.width = `${shareOf(span, end) - shareOf(span, start)}%`;
  return element;
}

/** Draws the hours of a day and their lines, or the days of a week. */
export function drawHead({ days, zone, start, end }: Span): void {
  const [day, isWeek] = [days[0]!, days.length > 1];
  const heads = days.map((one) => {
    const head = make('button', { className: 'day', title: 'Show this day', tabIndex: -1 }, dayText(zone, one.start));
    head.dataset['date'] = one.date;
    return head;
  });
  const hours = day.hours.map(({ at, hour }) => {
    const text = clockText(String(hour).padStart(2, '0'));
    return place(make('i', { className: 'hour' }, text), day, at);
  });
  byId('corner').textContent = zone.name.replaceAll('_', ' ');
  byId('hours').replaceChildren(...(isWeek ? heads : hours));
  const lines = isWeek ? [] : day.hours.map(({ at }) => place(make('i'), day, at));
  byId('lines').replaceChildren(...lines, make('i', { id: 'past' }), make('i', { id: 'now' }));
  byId('grid').classList.toggle('week', isWeek);
  byId('grid').style.setProperty('--hours', String((end - start) / HOUR));
}

/** Draws the line of the current time, and shades what is past; in a week, points out today. */
export function drawNow(span: Span): void {
  const now = Date.now();
  byId('past').style.width = `${span.days.length > 1 ? 0 : shareOf(span, now)}%`;
  byId('now').hidden = !isWithin(span, now) || span.days.length > 1;
  place(byId('now'), span, now);
  for (const day of document.querySelectorAll<HTMLElement>('.day')) {
    day.ariaCurrent = day.dataset['date'] === span.zone.date(now) ? 'date' : null;
  }
}

/** Draws a row with its cells, and the slots that are outlined in it, each with its class. */
export function drawRow(
  element: HTMLElement,
  row: Row,
  cells: Cell[],
  marks: [string, Slot][],
  span: Span,
  view: View,
): void {
  element.style.setProperty('--hue', String(HUES[row.tint % HUES.length]));
  element.classList.toggle('taken', row.isTaken === true);
  const name = make('div', { className: 'name', role: 'rowheader' }, make('bdi', {}, row.text));
  if (row.count === undefined) name.title = name.ariaLabel = row.key;
  else name.append(make('small', {}, String(row.count)));
  const drawn = cells.map((cell) => {
    const own = make('div', { className: 'cell', role: 'gridcell', tabIndex: -1 });
    own.dataset['at'] = String(cell.start);
    own.classList.toggle('wanted', cell.isWanted);
    own.classList.toggle('unread', cell.isUnread === true);
    if (cell.day) drawDay(own, cell, span, view);
    else drawPart(place(own, span, cell.start, cell.end), cell, span, view);
    return own;
  });
  const outlines = marks.map(([className, slot]) => {
    const mark = make('div', { className, ariaHidden: 'true' }, make('span', {}, timesText(span.zone, slot)));
    return place(mark, span, slot.start, slot.end);
  });
  element.replaceChildren(name, make('div', { className: 'cells', role: 'presentation' }, ...drawn, ...outlines));
}

function drawPart(element: HTMLElement, cell: Cell, span: Span, view: View): void {
  const { start, end, booked, isUnread, isWanted } = cell;
  const [when, length] = [timesText(span.zone, cell, span.days[0]!.date), durationText(end - start)];
  if (booked) {
    const { label } = booked;
    element.classList.add('booked', ...foundIn([label], view));
    element.ariaLabel = `${label}, ${when}`;
    element.title = `${label}\n${when} · ${length}`;
    element.dir = 'auto';
    element.append(end - start >= STICKY_LENGTH ? make('span', {}, label) : label);
    if (start < span.start || end > span.end) return;
    element.dataset['short'] = timeText(span.zone, start);
    element.dataset['note'] = `${element.dataset['short']}–${timeText(span.zone, end)}`;
  } else if (isUnread) {
    element.title = element.ariaLabel = `Not read, ${when}`;
    element.append(make('span', {}, 'Not read'));
  } else {
    element.classList.add('free');
    element.ariaLabel = `Free ${when}, ${length}${end <= Date.now() ? ', in the past' : ''}`;
    if (isWanted) element.append(make('span', {}, length));
  }
}

/** Draws a day of a week: how many bookings it has, and a bar of the time that they take. */
function drawDay(element: HTMLElement, cell: Cell, { zone }: Span, view: View): void {
  const bookings = cell.day!;
  const within = bookings.map(({ start, end }) => [Math.max(start, cell.start), Math.min(end, cell.end)] as const);
  const taken = durationText(within.reduce((sum, [start, end]) => sum + end - start, 0));
  const count = bookings.length > 0 ? `${countText(bookings.length, 'booking')}, ${taken} taken` : 'no bookings';
  const state = cell.isWanted ? 'free' : cell.isUnread ? 'not read' : '';
  element.classList.add(
    'total',
    ...foundIn(
      bookings.map(({ label }) => label),
      view,
    ),
  );
  element.title = element.ariaLabel = `${dayText(zone, cell.start)}: ${count}${state && `, ${state}`}. Show this day`;
  if (bookings.length > 0) element.append(String(bookings.length));
  element.dataset['note'] = state || (bookings.length > 0 ? taken : '');
  const stops = within.map(([start, end]) => {
    const [from, to] = [shareOf(cell, start), shareOf(cell, end)].map((share) => `${share.toFixed(2)}%`);
    return `#0000 ${from}, var(--edge) ${from} ${to}, #0000 ${to}`;
  });
  if (stops.length > 0) element.style.setProperty('--bar-of-taken', `linear-gradient(90deg, ${stops.join()})`);
}

/** The class of what a search has found. */
function foundIn(labels: readonly string[], view: View): string[] {
  return view.filter.trim() !== '' && labels.some((label) => isFound(label, view)) ? ['found'] : [];
}
