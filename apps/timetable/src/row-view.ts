import type { Axis } from './axis.js';
import { make, place } from './dom.js';
import { labelOf, searchTextOf } from './label.js';
import { has12Hours } from './locale.js';
import { cellsOf, isWanted, type Row, type Wanted } from './rows.js';
import type { Cell, Schedule } from './schedule.js';
import { durationText, shortTimes, timesText } from './span.js';

/** Minimum widths in pixels that show some letters, a start, both times; and from which on a label stays in sight. */
const ROOM = { text: 18, start: has12Hours ? 62 : 46, times: has12Hours ? 132 : 84, sticky: 260 };
/** Cells of a row from which on free time has no elements, except for the keyboard's position. */
const CROWDED = 100;

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
}

/** Creates the element of a row and of its cells. @param active an instant whose cell is drawn in any case */
export function drawRow(row: Row, schedule: Schedule, look: RowLook, active: number | undefined): HTMLElement {
  const element = make('div', { className: `row tint-${row.tint}`, role: 'row' });
  if (row.group !== undefined) {
    element.classList.add('group');
    element.append(drawGroup(row));
    return element;
  }
  const text = make('span', { dir: 'auto' }, row.name);
  const name = make('div', { className: 'name', role: 'rowheader', title: row.resource }, text);
  element.append(name);
  element.classList.toggle('taken', row.isTaken);
  const { axis } = look;
  const cells = cellsOf(schedule, row.resource, axis.span, look.wanted);
  const isNear = ({ start, end }: Cell) => axis.x(end) >= look.from && axis.x(start) <= look.to;
  const isActive = ({ start, end }: Cell) => active !== undefined && active >= start && active < end;
  const near = cells.filter((cell) => isNear(cell) || isActive(cell));
  const isCrowded = near.length > CROWDED;
  for (const cell of near) {
    const drawn = drawnCellOf(cell, row.resource, look.wanted);
    if (isCrowded && !cell.booked && !cell.isUnread && !drawn.isWanted && !isActive(cell)) continue;
    element.append(drawCell(drawn, look));
  }
  return element;
}

export function drawnCellOf(cell: Cell, resource: string, wanted: Wanted): DrawnCell {
  const isCellWanted = isWanted(cell, wanted);
  return { ...cell, resource, isWanted: isCellWanted, isExact: isCellWanted && wanted.start !== undefined };
}

function drawGroup({ group, count, isCollapsed }: Row & { group: string }): HTMLElement {
  const button = make('button', { type: 'button', ariaExpanded: String(!isCollapsed) }, make('bdi', {}, group));
  button.dataset['group'] = group;
  button.dataset['count'] = String(count);
  button.ariaLabel = `Group ${group}, ${count}`;
  return make('div', { className: 'name', role: 'rowheader' }, button);
}

function drawCell(cell: DrawnCell, look: RowLook): HTMLElement {
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

function drawUnread(element: HTMLElement, { start, end }: DrawnCell, { span: { zone, days } }: Axis): void {
  const isDay = days.length === 1;
  const times = isDay ? timesText(zone, start, end, days[0]!.date) : `${zone.text(start)} to ${zone.text(end)}`;
  element.classList.add('unread');
  element.ariaLabel = `Not read, ${times}`;
}

function drawFree(element: HTMLElement, cell: DrawnCell, { span: { zone, days } }: Axis): void {
  const { start, end } = cell;
  element.className = cell.isWanted ? 'cell free wanted' : 'cell free';
  const isDay = days.length === 1;
  const from = isDay ? timesText(zone, start, end, days[0]!.date) : `${zone.text(start)} to ${zone.text(end)}`;
  element.ariaLabel = `Free ${from}, ${durationText(end - start)}`;
  if (cell.isWanted) element.append(make('span', {}, durationText(end - start)));
}

function drawBooked(element: HTMLElement, { start, end, booked }: DrawnCell, look: RowLook, width: number): void {
  const { span } = look.axis;
  const { zone, days } = span;
  const isDay = days.length === 1;
  const label = labelOf(booked!.booking);
  element.className = 'cell booked';
  if (start < span.start) element.classList.add('earlier');
  if (end > span.end) element.classList.add('later');
  if (look.words.length > 0) {
    const isFound = look.words.every((word) => searchTextOf(booked!.booking).includes(word));
    element.classList.toggle('found', isFound);
  }
  const times = timesText(zone, start, end, isDay ? days[0]!.date : zone.date(start));
  element.ariaLabel = `${label}, ${isDay ? '' : `${zone.date(start)}, `}${times}`;
  element.title = `${label}\n${times} · ${durationText(end - start)}`;
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
