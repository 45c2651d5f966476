import type { Slot } from './bookings.js';
import { byId, make, write } from './dom.js';
import { type Cell, isFound, type Row } from './rows.js';
import { clockText, countText, dayText, timesText, timeText } from './texts.js';
import { durationText, isWithin, type Range, type Span } from './time.js';
import type { View } from './view.js';

const HOUR = 3_600_000;
/** From this length on, a label stays in sight while its box is scrolled. */
const LONG = 4 * HOUR;
/** Hues of groups, in degrees of OKLCH. */
const HUES = [255, 165, 310, 65, 210, 355];

/** Where an instant is in a span, in percent. */
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
export function drawHead(span: Span): void {
  const { days, zone } = span;
  const [{ hours, change }] = days as [(typeof days)[0]];
  const isWeek = days.length > 1;
  const label = (className: string, at: number, text = '') =>
    place(make('i', { className, ariaHidden: 'true' }, text), span, at);
  const marked = isWeek ? [] : hours.map(({ at, hour }) => label('hour', at, clockText(String(hour).padStart(2, '0'))));
  const lines = isWeek ? [] : hours.map(({ at }) => label('line', at));
  if (change && !isWeek) {
    marked.push(label('change', change.at, change.text));
    lines.push(label('line changed', change.at));
  }
  const buttons = (isWeek ? days : []).map(({ date, start, end }) => {
    const hoursOf = (end - start) / HOUR;
    const button = make(
      'button',
      { type: 'button', className: 'day', title: 'Show this day', tabIndex: -1 },
      dayText(zone, start),
    );
    button.dataset['date'] = date;
    if (hoursOf !== 24) button.append(make('small', {}, ` ${hoursOf} h`));
    return button;
  });
  byId('corner').textContent = zone.name.replaceAll('_', ' ');
  byId('hours').replaceChildren(make('span', { className: 'unseen' }, 'Time'), ...buttons, ...marked, byId('now-time'));
  byId('lines').replaceChildren(...lines, byId('past'), byId('now'));
  byId('grid').classList.toggle('week', isWeek);
  byId('grid').style.setProperty('--hours', String((span.end - span.start) / HOUR));
}

/** Draws the line of the current time, and shades what is past; in a week, points out today. */
export function drawNow(span: Span): void {
  const now = Date.now();
  byId('past').style.width = `${shareOf(span, now)}%`;
  byId('grid').classList.toggle('now', isWithin(span, now));
  for (const id of ['now', 'now-time']) place(byId(id), span, now);
  write(byId('now-time'), timeText(span.zone, now));
  for (const day of document.querySelectorAll<HTMLElement>('.day')) {
    day.ariaCurrent = day.dataset['date'] === span.zone.date(now) ? 'date' : null;
  }
}

/** Draws a row with its cells, and the slots that are outlined in it. */
export function drawRow(
  element: HTMLElement,
  row: Row,
  cells: readonly Cell[],
  marks: [string, Slot][],
  span: Span,
  view: View,
): void {
  element.style.setProperty('--hue', String(HUES[row.tint % HUES.length]));
  element.classList.toggle('taken', row.isTaken === true);
  const name = make('div', { className: 'name', role: 'rowheader' }, make('bdi', {}, row.text));
  if (row.count === undefined) name.title = name.ariaLabel = row.key;
  else name.append(make('small', {}, String(row.count)));
  const drawn = cells.map((cell) => (cell.day ? drawDay(cell, span, view) : drawPart(cell, span, view)));
  for (const [className, slot] of marks) {
    const mark = make('div', { className, ariaHidden: 'true' }, make('span', {}, timesText(span.zone, slot)));
    drawn.push(place(mark, span, slot.start, slot.end));
  }
  element.replaceChildren(name, make('div', { className: 'cells', role: 'presentation' }, ...drawn));
}

function drawPart(cell: Cell, span: Span, view: View): HTMLElement {
  const { start, end, booked, isUnread, isWanted } = cell;
  const [when, length] = [timesText(span.zone, cell, span.days[0]!.date), durationText(end - start)];
  const element = make('div', { className: 'cell', role: 'gridcell', tabIndex: -1, dir: 'auto' });
  element.dataset['at'] = String(start);
  place(element, span, start, end);
  if (booked) {
    const { label } = booked;
    element.classList.add('booked', ...foundIn([label], view));
    element.ariaLabel = `${label}, ${when}`;
    element.title = `${label}\n${when} · ${length}`;
    element.append(end - start >= LONG ? make('span', {}, label) : label);
    if (start < span.start || end > span.end) return element;
    element.dataset['start'] = timeText(span.zone, start);
    element.dataset['times'] = `${element.dataset['start']}–${timeText(span.zone, end)}`;
  } else if (isUnread) {
    element.classList.add('unread');
    element.title = element.ariaLabel = `Not read, ${when}`;
    element.append(make('span', {}, 'Not read'));
  } else {
    element.classList.add('free', ...(isWanted ? ['wanted'] : []));
    element.ariaLabel = `Free ${when}, ${length}${end <= Date.now() ? ', in the past' : ''}`;
    if (isWanted) element.append(make('span', {}, length));
  }
  return element;
}

/** A day of a week: how many bookings it has, and a bar of the time that they take. */
function drawDay(cell: Cell, { zone }: Span, view: View): HTMLElement {
  const { bookings } = cell.day!;
  const within = bookings.map(({ start, end }) => [Math.max(start, cell.start), Math.min(end, cell.end)] as const);
  const taken = durationText(within.reduce((sum, [start, end]) => sum + end - start, 0));
  const texts = bookings.length > 0 ? [countText(bookings.length, 'booking'), `${taken} taken`] : [];
  if (cell.isWanted) texts.push('free as wanted');
  if (cell.isUnread) texts.push('not read');
  const element = make(
    'div',
    { className: 'cell total', role: 'gridcell', tabIndex: -1 },
    bookings.length > 0 ? String(bookings.length) : '',
  );
  element.dataset['at'] = String(cell.start);
  element.dataset['note'] = cell.isWanted ? 'free' : cell.isUnread ? 'not read' : bookings.length > 0 ? taken : '';
  element.ariaLabel = `${dayText(zone, cell.start)}: ${texts.join(', ') || 'no bookings'}. Show this day`;
  element.title = element.ariaLabel;
  element.classList.add(
    ...foundIn(
      bookings.map(({ label }) => label),
      view,
    ),
  );
  element.classList.toggle('wanted', cell.isWanted);
  element.classList.toggle('unread', cell.isUnread === true);
  const stops = within.map(([start, end]) => {
    const [from, to] = [shareOf(cell, start), shareOf(cell, end)].map((share) => `${share.toFixed(2)}%`);
    return `#0000 ${from}, var(--box-edge) ${from} ${to}, #0000 ${to}`;
  });
  if (stops.length > 0) element.style.setProperty('--taken', `linear-gradient(90deg, ${stops.join()})`);
  return element;
}

/** The class of what a search has found. */
function foundIn(labels: readonly string[], view: View): string[] {
  return view.filter.trim() !== '' && labels.some((label) => isFound(label, view)) ? ['found'] : [];
}
