import type { Axis } from './axis.js';
import { make, place } from './dom.js';
import { labelOf } from './label.js';
import { isFreeFor, type Row } from './rows.js';
import type { Cell, Schedule } from './schedule.js';
import { durationText, timesText } from './span.js';

/** Minimum width in pixels that shows a letter. */
const LEAST_TEXT = 14;

/** What a cell's element represents. */
export interface DrawnCell extends Cell {
  readonly resource: string;
  /** Whether the free time from now on is long enough for the filter. */
  readonly isWanted: boolean;
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
  /** Minutes of free time that the filter requires; 0 for none. */
  readonly free: number;
  readonly now: number;
  /** Range of the axis in which cells are drawn, in pixels. */
  readonly from: number;
  readonly to: number;
}

/** Creates the element of a row and of its cells. */
export function drawRow(row: Row, schedule: Schedule, look: RowLook): HTMLElement {
  const name = make('div', { className: 'name', role: 'rowheader' }, make('bdi', {}, row.group ?? row.name));
  const element = make('div', { className: 'row', role: 'row' }, name);
  if (row.group !== undefined) {
    element.classList.add('group');
    name.ariaLabel = `Group ${row.group}`;
    return element;
  }
  name.title = row.resource;
  const { span } = look.axis;
  const cells = schedule.cells(row.resource, span.start, span.end);
  let next: Cell | undefined;
  const drawn: HTMLElement[] = [];
  for (const cell of cells.toReversed()) {
    const room = (next === undefined ? look.axis.width : look.axis.x(next.start)) - look.axis.x(cell.start);
    if (cell.booked) next = cell;
    if (look.axis.x(cell.end) < look.from || look.axis.x(cell.start) > look.to) continue;
    const isWanted = isFreeFor(cell, look.free, look.now);
    drawn.push(drawCell({ ...cell, resource: row.resource, isWanted }, look, room));
  }
  element.append(...drawn.toReversed());
  return element;
}

/** @param room pixels from the cell's start to the next booking, which its text may use */
function drawCell(cell: DrawnCell, { axis, names }: RowLook, room: number): HTMLElement {
  const { start, end, booked } = cell;
  const { zone, days } = axis.span;
  const element = make('div', { className: 'cell', role: 'gridcell', tabIndex: -1 });
  const [left, right] = [axis.x(start), axis.x(end)];
  place(element, names + left, right - left);
  const date = days.length === 1 ? days[0]!.date : zone.date(start);
  const times = timesText(zone, start, end, date);
  if (cell.isUnread) {
    element.classList.add('unread');
    element.ariaLabel = `Not read, ${days.length === 1 ? times : `${zone.text(start)} to ${zone.text(end)}`}`;
  } else if (booked === undefined) {
    element.className = cell.isWanted ? 'cell free wanted' : 'cell free';
    const from = days.length === 1 ? times : `${zone.text(start)} to ${zone.text(end)}`;
    element.ariaLabel = `Free ${from}, ${durationText(end - start)}`;
    if (cell.isWanted) element.append(durationText(end - start));
  } else {
    const label = labelOf(booked.booking);
    element.className = 'cell booked';
    if (start < axis.span.start) element.classList.add('earlier');
    if (end > axis.span.end) element.classList.add('later');
    element.ariaLabel = `${label}, ${days.length === 1 ? '' : `${zone.date(start)}, `}${times}`;
    element.title = `${label}\n${times}`;
    if (room >= LEAST_TEXT) {
      const text = make('span', { dir: 'auto' }, label);
      text.style.maxWidth = `${room - 2}px`;
      element.append(text);
    }
  }
  drawnCells.set(element, cell);
  return element;
}
