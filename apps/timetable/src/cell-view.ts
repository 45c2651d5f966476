import type { Axis } from './axis.js';
import { make, place } from './dom.js';
import { labelOf, searchTextOf } from './label.js';
import { isWanted, type Wanted } from './rows.js';
import type { Cell, Range } from './schedule.js';
import type { Span } from './span.js';
import { dayText, durationText, has12Hours, overText, shortTimes, timeText, timesText } from './texts.js';

/** Minimum widths in pixels that show some letters, a start, both times; and from which on a label stays in sight. */
const ROOM = { text: 24, start: has12Hours ? 72 : 46, times: has12Hours ? 132 : 84, sticky: 260 };

/** What a cell's element represents. */
export interface DrawnCell extends Cell {
  readonly resource: string;
  /** Whether it is the free time that the filter wants. */
  readonly isWanted: boolean;
  /** Whether it is no longer and no shorter than that. */
  readonly isExact: boolean;
  /** The cells of a crowded day of a week for which this one stands. */
  readonly crowd?: { readonly date: string; readonly cells: readonly DrawnCell[] };
}

const drawnCells = new WeakMap<Element, DrawnCell>();

/** The cell that an element is or is in. */
export function cellAt(target: EventTarget | null): DrawnCell | undefined {
  const element = target instanceof Element ? target.closest('.cell') : null;
  return element ? drawnCells.get(element) : undefined;
}

/** How the cells of a row are drawn. */
export interface RowLook {
  readonly axis: Axis;
  /** Width of the column of names in pixels. */
  readonly names: number;
  readonly wanted: Wanted;
  /** Words of the search: bookings that have them all are highlighted. */
  readonly words: readonly string[];
  /** Elements that a row may have: with more cells, free time has none, and crowded days of a week are one cell each. */
  readonly most: number;
}

export function drawnCellOf(cell: Cell, resource: string, wanted: Wanted): DrawnCell {
  const isCellWanted = isWanted(cell, wanted);
  return { ...cell, resource, isWanted: isCellWanted, isExact: isCellWanted && wanted.isExact };
}

export function drawCell(cell: DrawnCell, look: RowLook): HTMLElement {
  const { axis, names } = look;
  const element = make('div', { className: 'cell', role: 'gridcell', tabIndex: -1 });
  const [left, right] = [axis.x(cell.start), axis.x(cell.end)];
  place(element, names + left, right - left);
  if (cell.crowd) drawCrowd(element, cell, cell.crowd.cells, look);
  else if (cell.isUnread) drawUnread(element, cell, axis);
  else if (cell.booked) drawBooked(element, cell, look, right - left);
  else drawFree(element, cell, axis);
  drawnCells.set(element, cell);
  return element;
}

function drawUnread(element: HTMLElement, cell: DrawnCell, { span }: Axis): void {
  element.classList.add('unread');
  element.title = element.ariaLabel = `Not read, ${spanText(cell, span)}`;
  element.append(make('span', {}, 'Not read'));
}

function drawFree(element: HTMLElement, cell: DrawnCell, { span }: Axis): void {
  const length = durationText(cell.end - cell.start);
  element.className = cell.isWanted ? 'cell free wanted' : 'cell free';
  element.ariaLabel = `Free ${spanText(cell, span)}, ${length}${overText(cell)}`;
  if (cell.isWanted) element.append(make('span', {}, length));
}

function drawBooked(element: HTMLElement, cell: DrawnCell, look: RowLook, width: number): void {
  const { start, end, booked } = cell;
  const { span } = look.axis;
  const label = labelOf(booked!.booking);
  element.className = 'cell booked';
  element.classList.toggle('found', isFound(cell, look));
  const when = spanText(cell, span);
  element.ariaLabel = `${label}, ${when}`;
  element.title = `${label}\n${when} · ${durationText(end - start)}`;
  if (width < ROOM.text) return;
  element.dir = 'auto';
  const isLong = width >= ROOM.sticky;
  element.append(isLong ? make('span', {}, label) : label);
  const isInside = start >= span.start && end <= span.end;
  if (span.days.length === 1 && isInside && width >= ROOM.start) {
    element.classList.add('timed');
    element.dataset['times'] = width >= ROOM.times ? shortTimes(span.zone, start, end) : timeText(span.zone, start);
  }
}

/** Draws how many bookings a crowded day has, or how many free times are wanted. */
function drawCrowd(element: HTMLElement, cell: DrawnCell, cells: readonly DrawnCell[], look: RowLook): void {
  const bookings = cells.filter(({ booked }) => booked).length;
  const free = cells.filter((one) => one.isWanted).length;
  const texts = [`${bookings} bookings`, ...(free > 0 ? [`${free} free`] : []), ...(cell.isUnread ? ['Not read'] : [])];
  element.className = 'cell booked crowd';
  element.classList.toggle('wanted', free > 0);
  element.classList.toggle('unread', cell.isUnread);
  element.classList.toggle(
    'found',
    cells.some((one) => isFound(one, look)),
  );
  element.title = element.ariaLabel = `${texts.join(', ')}, ${spanText(cell, look.axis.span)}: show this day`;
  element.append(make('span', {}, texts.at(-1)!));
}

/** Whether a booking is one that the search looks for. */
function isFound({ booked }: DrawnCell, { words }: RowLook): boolean {
  if (!booked || words.length === 0) return false;
  const text = searchTextOf(booked.booking);
  return words.every((word) => text.includes(word));
}

/** From when until when, with the date in a week. */
function spanText({ start, end }: Range, { zone, days }: Span): string {
  if (days.length === 1) return timesText(zone, start, end, days[0]!.date);
  return `${dayText(zone, start)}, ${timesText(zone, start, end)}`;
}
