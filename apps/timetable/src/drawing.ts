/** Draws the time axis, rows, cells and outlines. `grid.ts` and `marks.ts` decide which and when. */

import type { View } from './address.js';
import type { Booked, Slot } from './bookings.js';
import { byId, make } from './dom.js';
import { type Cell, isHit, type Row } from './rows.js';
import { clockText, countText, dayText, durationText, isolated, timesText, timeText } from './texts.js';
import { HOUR, isOver, isWithin, QUARTER, type Range, type Span, type Zone } from './time.js';

/**
 * Milliseconds of the shortest booking with room for its name and start. A shorter booking shows only its name, which
 * is vertical unless the page is very wide.
 */
const BRIEF = 3 * QUARTER;
/** Milliseconds of the shortest booking with room for its label, start and end. */
const LONG = 2 * HOUR;
/** The most bookings that a day of a week shows and says: its row has room for as many. */
const LINES = 7;

/** The position of an instant within a range, in percent: 0 before the range, 100 after it. */
function shareOf({ start, end }: Range, instant: number): number {
  return ((Math.min(end, Math.max(start, instant)) - start) / (end - start)) * 100;
}

/** Places an element over a time range, by the CSSOM: the content security policy forbids `style` attributes. */
function place<Placed extends HTMLElement>(element: Placed, span: Range, start: number, end = start): Placed {
  element.style.left = `${shareOf(span, start)}%`;
  if (end > start) element.style.width = `${shareOf(span, end) - shareOf(span, start)}%`;
  return element;
}

/** Draws the hours of a day with lines below them, or the days of a week. */
export function drawHead({ days, isWeek, zone, start, end }: Span): void {
  const day = days[0]!;
  const hours = isWeek ? [] : day.hours;
  const dayHeads = days.map((each) => {
    const ariaCurrent = isWithin(each, Date.now()) ? 'date' : null;
    const head = make('button', { className: 'day', tabIndex: -1, ariaCurrent }, dayText(zone, each.start));
    head.dataset['date'] = each.date;
    return head;
  });
  const hourHeads = hours.map(({ at, hour }) => {
    const text = clockText(String(hour).padStart(2, '0'));
    return place(make('div', { className: 'hour' }, text), day, at);
  });
  byId('hours').replaceChildren(...(isWeek ? dayHeads : hourHeads));
  byId('lines').replaceChildren(...hours.map(({ at }) => place(make('div'), day, at)), make('div', { id: 'now' }));
  byId('grid').style.setProperty('--hours', String(isWeek ? 0 : (end - start) / HOUR));
}

/** Draws the line at the current time, and shades the time before it; only in the view of today. */
export function drawNow(span: Span): void {
  const now = Date.now();
  byId('now').hidden = !isWithin(span, now) || span.isWeek;
  place(byId('now'), span, span.start, now);
}

/** Outlines a slot, with its times, over the row at `top` (in pixels). */
export function drawMark(mark: HTMLElement, slot: Slot, span: Span, top: number, isTaken: boolean): void {
  place(mark, span, slot.start, slot.end).style.top = `${top}px`;
  mark.dataset['note'] = timesText(span.zone, slot);
  mark.classList.toggle('taken', isTaken);
}

/** Gives an element the colour of a row's group. */
export function paint(element: HTMLElement, { tint }: Row): void {
  element.style.setProperty('--hue', String(255 - tint * 100));
}

/** Draws a row: its name and the given cells. */
export function drawRow(element: HTMLElement, row: Row, cells: readonly Cell[], span: Span, view: View): void {
  paint(element, row);
  const name = make('div', { className: 'name', role: 'rowheader' }, make('bdi', {}, row.text));
  if (row.count === undefined) name.title = name.ariaLabel = row.key;
  else name.append(make('small', {}, `(${row.count})`));
  const drawn = cells.map((cell) => drawCell(cell, span, view));
  element.role = 'row';
  element.replaceChildren(name, make('div', { className: 'cells', role: 'presentation' }, ...drawn));
}

function drawCell(cell: Cell, span: Span, view: View): HTMLElement {
  const element = make('div', { className: 'cell', role: 'gridcell', tabIndex: -1 });
  element.dataset['at'] = String(cell.start);
  element.classList.toggle('wanted', cell.isWanted);
  element.classList.toggle('unread', cell.isUnread === true);
  element.classList.toggle('found', cell.isFound);
  if (cell.day) {
    drawDay(element, cell, cell.day, span.zone, view);
    return element;
  }
  const times = timesText(span.zone, cell, span.days[0]!.date);
  place(element, span, cell.start, cell.end);
  if (cell.booked) drawBooked(element, cell.booked, times, span.zone);
  else if (cell.isUnread) drawUnread(element, cell, times);
  else drawFree(element, cell, times, span.zone);
  return element;
}

/** Draws a booking: who and, if there is room, its start or what and both times. */
function drawBooked(element: HTMLElement, booked: Booked, times: string, zone: Zone): void {
  const { label, name, start, end } = booked;
  const length = end - start;
  const isLong = length >= LONG;
  element.classList.add('booked');
  element.classList.toggle('now', isWithin(booked, Date.now()));
  element.ariaLabel = `${label}, ${times}`;
  element.title = `${label}\n${times} · ${durationText(length)}`;
  element.dir = 'auto';
  element.append(isLong ? make('span', {}, label) : name);
  if (length < BRIEF) element.classList.add('brief');
  else element.dataset['note'] = isLong ? times.replace(' to ', '–') : timeText(zone, start);
}

function drawUnread(element: HTMLElement, { start, end }: Range, times: string): void {
  element.title = element.ariaLabel = `Not read, ${times}`;
  if (end - start >= HOUR) element.append(make('span', {}, 'Not read'));
}

function drawFree(element: HTMLElement, cell: Cell, times: string, zone: Zone): void {
  const { start, end, isWanted } = cell;
  const length = end - start;
  const past = isOver(cell) ? ', in the past' : '';
  element.classList.add('free');
  element.ariaLabel = `Free ${times}, ${durationText(length)}${past}`;
  const text = length < LONG ? timeText(zone, start) : times;
  if (isWanted) element.append(make('span', {}, `Free ${text}`));
}

/** Draws a day of a week: its bookings, search results first, above a bar that shows the taken time. */
function drawDay(element: HTMLElement, cell: Cell, day: readonly Booked[], zone: Zone, view: View): void {
  const taken = day.map(({ start, end }) => ({ start: Math.max(start, cell.start), end: Math.min(end, cell.end) }));
  const summary = summaryOf(cell, taken, zone, view);
  const hits = day.filter((booked) => isHit(booked, view));
  const lines = [...new Set([...hits, ...day])].map(({ start, label }) => {
    const time = start < cell.start ? '…' : timeText(zone, start);
    // Isolated, so that a right-to-left label stays after its time.
    return `${time} ${isolated(label)}`;
  });
  const shown = lines.slice(0, LINES);
  const count = lines.length > LINES ? `+${lines.length - LINES}` : String(lines.length || '');
  element.classList.add('total');
  element.classList.toggle('past', isOver(cell));
  element.ariaLabel = day.length === 0 ? summary : `${summary}: ${shown.join(', ')}`;
  element.title = [summary, ...lines].join('\n');
  element.dataset['note'] = cell.isWanted ? 'free' : count;
  if (day.length === 0) return;
  element.classList.add('busy');
  const texts = shown.map((line) => `${line}\n`);
  const bold = hits.length > 0 ? [make('b', {}, ...texts.splice(0, hits.length))] : [];
  element.append(make('span', {}, ...bold, ...texts));
  element.style.setProperty('--bar-of-taken', barOf(cell, taken));
}

/** `Tue 1 Dec, 2 bookings, 9 h 30 min taken, free between 08 and 18`, then what a click does. */
function summaryOf(cell: Cell, taken: readonly Range[], zone: Zone, { at }: View): string {
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

/** A gradient that is opaque where time is taken. */
function barOf(day: Range, taken: readonly Range[]): string {
  const stops = taken.map(({ start, end }) => {
    const from = `${shareOf(day, start).toFixed(2)}%`;
    const to = `${shareOf(day, end).toFixed(2)}%`;
    return `#0000 ${from}, var(--edge) ${from} ${to}, #0000 ${to}`;
  });
  return `linear-gradient(90deg, ${['#0000', ...stops, '#0000'].join()})`;
}
