import type { Axis } from './axis.js';
import { make, place } from './dom.js';
import { labelOf, searchTextOf } from './label.js';
import { has12Hours } from './locale.js';
import type { Range } from './schedule.js';
import { isWanted, type Wanted } from './rows.js';
import type { Cell } from './schedule.js';
import { durationText, shortTimes, type Span, timesText } from './span.js';

/**
 * Minimum widths in pixels that show some letters, a start, both times; from which on a cell of a crowded row has an
 * element of its own; and from which on a label stays in sight.
 */
export const ROOM = { text: 18, start: has12Hours ? 62 : 46, times: has12Hours ? 132 : 84, crowded: 60, sticky: 260 };

/** What a cell's element represents. */
export interface DrawnCell extends Cell {
  readonly resource: string;
  /** Whether it is the free time that the filter wants. */
  readonly isWanted: boolean;
  /** Whether it is no longer and no shorter than that. */
  readonly isExact: boolean;
}

const drawnCells = new WeakMap<Element, DrawnCell>();

/** The cell that an element is or is in. */
export function cellAt(target: EventTarget | null): { element: HTMLElement; cell: DrawnCell } | undefined {
  const element = target instanceof Element ? target.closest<HTMLElement>('.cell') : null;
  const cell = element && drawnCells.get(element);
  return element && cell ? { element, cell } : undefined;
}

/** How the cells of a row are drawn. */
export interface RowLook {
  readonly axis: Axis;
  /** Width of the column of names in pixels. */
  readonly names: number;
  readonly wanted: Wanted;
  /** Words of the search: bookings that have them all are highlighted. */
  readonly words: readonly string[];
  /** Range of the axis in which cells are drawn, in pixels. */
  readonly from: number;
  readonly to: number;
  /** Elements that a row may have. With more cells, free time has none, then short bookings share some. */
  readonly most: number;
  /** Height of a row in pixels. */
  readonly height: number;
}

export function drawnCellOf(cell: Cell, resource: string, wanted: Wanted): DrawnCell {
  const isCellWanted = isWanted(cell, wanted);
  return { ...cell, resource, isWanted: isCellWanted, isExact: isCellWanted && wanted.start !== undefined };
}

/** Whether a booking is one that the search looks for. */
export function isFound({ booked }: DrawnCell, { words }: RowLook): boolean {
  if (!booked || words.length === 0) return false;
  const text = searchTextOf(booked.booking);
  return words.every((word) => text.includes(word));
}

export function drawCell(cell: DrawnCell, look: RowLook): HTMLElement {
  const { axis, names } = look;
  const { start, end, booked } = cell;
  const element = make('div', { className: 'cell', role: 'gridcell', tabIndex: -1 });
  const [left, right] = [axis.x(start), axis.x(end)];
  place(element, names + left, right - left);
  if (cell.isUnread) drawUnread(element, cell, axis);
  else if (booked === undefined) drawFree(element, cell, axis);
  else drawBooked(element, cell, look, right - left);
  drawnCells.set(element, cell);
  return element;
}

function drawUnread(element: HTMLElement, cell: DrawnCell, { span }: Axis): void {
  element.classList.add('unread');
  element.ariaLabel = `Not read, ${spanText(cell, span)}`;
}

function drawFree(element: HTMLElement, cell: DrawnCell, { span }: Axis): void {
  const length = durationText(cell.end - cell.start);
  element.className = cell.isWanted ? 'cell free wanted' : 'cell free';
  element.ariaLabel = `Free ${spanText(cell, span)}, ${length}`;
  if (cell.isWanted) element.append(make('span', {}, length));
}

function drawBooked(element: HTMLElement, cell: DrawnCell, look: RowLook, width: number): void {
  const { start, end, booked } = cell;
  const { span } = look.axis;
  const { zone, days } = span;
  const isDay = days.length === 1;
  const label = labelOf(booked!.booking);
  element.className = 'cell booked';
  if (start < span.start) element.classList.add('earlier');
  if (end > span.end) element.classList.add('later');
  element.classList.toggle('found', isFound(cell, look));
  element.ariaLabel = `${label}, ${spanText(cell, span)}`;
  element.title = tipOf(cell, span);
  if (width < ROOM.text) return;
  element.dir = 'auto';
  element.classList.toggle('narrow', width < ROOM.start);
  const isLong = width >= ROOM.sticky;
  element.append(isLong ? make('span', {}, label) : label);
  const isInside = start >= span.start && end <= span.end;
  if (isDay && isInside && width >= ROOM.start) {
    element.classList.add('timed');
    element.dataset['times'] = width >= ROOM.times ? shortTimes(zone, start, end) : zone.clock(start);
  }
}

/** What a tooltip says of a booking. */
export function tipOf({ booked, start, end }: Cell, span: Span): string {
  return `${labelOf(booked!.booking)}\n${timesText(span.zone, start, end, dateOf(start, span))} · ${durationText(end - start)}`;
}

/** From when until when, with the date in a week. */
export function spanText({ start, end }: Range, span: Span): string {
  const date = dateOf(start, span);
  return `${span.days.length === 1 ? '' : `${date}, `}${timesText(span.zone, start, end, date)}`;
}

/** The date that times do not repeat. */
function dateOf(start: number, { zone, days }: Span): string {
  return days.length === 1 ? days[0]!.date : zone.date(start);
}
