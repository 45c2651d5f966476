import type { Booked, Slot } from './bookings.js';
import { byId, make } from './dom.js';
import { type Cell, isHit, type Row } from './rows.js';
import { clockText, countText, dayText, isolated, timesText, timeText } from './texts.js';
import { durationText, HOUR, isWithin, QUARTER, type Range, type Span, type Zone } from './time.js';
import type { View } from './view.js';

/** Milliseconds below which a booking has room for a name upright, and for no time. */
const BRIEF = 3 * QUARTER;
/** Lines of a day that its label says: all that can be in sight, so that a voice can name what an eye reads. */
const SPOKEN_LINES = 7;

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
  const day = days[0]!;
  const isWeek = days.length > 1;
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
    if (cell.day) drawDay(own, cell, cell.day, span, view);
    else drawPart(place(own, span, cell.start, cell.end), cell, span);
    return own;
  });
  element.role = 'row';
  element.replaceChildren(name, make('div', { className: 'cells', role: 'presentation' }, ...drawn));
}

function drawPart(element: HTMLElement, { start, end, booked, isUnread, isWanted }: Cell, span: Span): void {
  const when = timesText(span.zone, { start, end }, span.days[0]!.date);
  const length = end - start;
  if (booked) {
    const { label } = booked;
    const isLong = length >= 2 * HOUR;
    element.classList.add('booked');
    element.ariaLabel = `${label}, ${when}`;
    element.title = `${label}\n${when} · ${durationText(length)}`;
    element.dir = 'auto';
    element.append(isLong ? make('span', {}, label) : label);
    if (length < BRIEF) element.classList.add('brief');
    else element.dataset['note'] = isLong ? when.replace(' to ', '–') : timeText(span.zone, start);
  } else if (isUnread) {
    element.title = element.ariaLabel = `Not read, ${when}`;
    if (length >= HOUR) element.append(make('span', {}, 'Not read'));
  } else {
    element.classList.add('free');
    element.ariaLabel = `Free ${when}, ${durationText(length)}${end <= Date.now() ? ', in the past' : ''}`;
    const text = length < 2 * HOUR ? timeText(span.zone, start) : when;
    if (isWanted) element.append(make('span', {}, `Free ${text}`));
  }
}

/** Draws who has booked a day of a week, what is searched for first, above a bar of what is taken. */
function drawDay(element: HTMLElement, cell: Cell, day: readonly Booked[], { zone }: Span, view: View): void {
  const taken = day.map(({ start, end }) => ({ start: Math.max(start, cell.start), end: Math.min(end, cell.end) }));
  const hits = day.filter((booked) => isHit(booked, view));
  const others = day.filter((booked) => !hits.includes(booked));
  const lines = [...hits, ...others].map(({ start, label }) => {
    // A label of another direction stays behind its time.
    return `${start < cell.start ? '…' : timeText(zone, start)} ${isolated(label)}`;
  });
  const about = dayLabel(cell, taken, zone, view);
  const spoken = lines.slice(0, SPOKEN_LINES).join(', ');
  element.classList.add('total');
  element.classList.toggle('past', cell.end <= Date.now());
  element.ariaLabel = `${about}${spoken && `: ${spoken}`}`;
  element.title = [about, ...lines].join('\n');
  element.dataset['note'] = cell.isWanted ? 'free' : String(day.length || '');
  if (day.length === 0) return;
  element.classList.add('busy');
  element.append(make('span', {}, lines.join('\n')));
  element.style.setProperty('--bar-of-taken', barOf(cell, taken));
}

/** `Tue 1 Dec, 2 bookings, 9 h 30 min taken, free between 08 and 18`, and what a click does. */
function dayLabel(cell: Cell, taken: readonly Range[], zone: Zone, { at }: View): string {
  const total = taken.reduce((sum, { start, end }) => sum + end - start, 0);
  const hours = at === '' ? `between ${clockText('08')} and ${clockText('18')}` : `at ${clockText(at)}`;
  const parts = [
    dayText(zone, cell.start),
    taken.length > 0 ? `${countText(taken.length, 'booking')}, ${durationText(total)} taken` : 'no bookings',
    cell.isWanted ? `free ${hours}` : '',
    cell.isUnread ? 'not read' : '',
  ];
  return `${parts.filter(Boolean).join(', ')}. Show this day`;
}

function barOf(day: Range, taken: readonly Range[]): string {
  const stops = taken.map(({ start, end }) => {
    const from = `${shareOf(day, start).toFixed(2)}%`;
    const to = `${shareOf(day, end).toFixed(2)}%`;
    return `#0000 ${from}, var(--edge) ${from} ${to}, #0000 ${to}`;
  });
  return `linear-gradient(90deg, ${['#0000', ...stops, '#0000'].join()})`;
}
