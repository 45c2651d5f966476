import { type DrawnCell, drawCell, drawnCellOf, type RowLook } from './cell-view.js';
import { make } from './dom.js';
import { cellsOf, type Row } from './rows.js';
import type { Schedule } from './schedule.js';
import { type Day, isWithin } from './span.js';

/** Hues of groups, in degrees of OKLCH. */
const HUES = [255, 165, 310, 65, 210, 355];

/** Creates the element of a row and of its cells. @param active an instant whose cell is drawn in any case */
export function drawRow(row: Row, schedule: Schedule, look: RowLook, active: number | undefined): HTMLElement {
  const element = make('div', { className: 'row', role: 'row' });
  element.style.setProperty('--hue', String(HUES[row.tint % HUES.length]));
  if (row.group !== undefined) {
    element.classList.add('group');
    const name = make('div', { className: 'name', role: 'rowheader' }, make('bdi', {}, row.group));
    name.dataset['count'] = String(row.count);
    element.append(name);
    return element;
  }
  const text = make('span', { dir: 'auto' }, row.name);
  element.append(make('div', { className: 'name', role: 'rowheader', title: row.resource }, text));
  element.classList.toggle('taken', row.isTaken);
  const cells = partsOf(row.resource, schedule, look);
  const isCrowded = cells.length > look.most || cells.some(({ crowd }) => crowd);
  const isEmpty = (cell: DrawnCell) => !cell.booked && !cell.isUnread && !cell.isWanted && !cell.crowd;
  for (const cell of cells) {
    const isActive = active !== undefined && isWithin(cell, active);
    if (isActive || !isCrowded || !isEmpty(cell)) element.append(drawCell(cell, look));
  }
  return element;
}

/** The cells of a row. In a week with more bookings than it can show, each crowded day is one cell. */
export function partsOf(resource: string, schedule: Schedule, { axis, most, wanted }: RowLook): DrawnCell[] {
  const { span } = axis;
  const cells = cellsOf(schedule, resource, span, wanted).map((cell) => drawnCellOf(cell, resource, wanted));
  const { length } = span.days;
  if (length === 1 || cells.filter(({ booked }) => booked).length <= most) return cells;
  return span.days.reduce((parts, day) => withCrowd(parts, day, most / length), cells);
}

/** Replaces the bookings of a day, and what is between them, by one cell if there are more than `most` elements. */
function withCrowd(cells: DrawnCell[], { date, start, end }: Day, most: number): DrawnCell[] {
  const isOfDay = (cell: DrawnCell) => cell.booked !== undefined && cell.start >= start && cell.end <= end;
  const first = cells.findIndex(isOfDay);
  const last = cells.findLastIndex(isOfDay);
  if (last - first < most) return cells;
  const inside = cells.slice(first, last + 1);
  const crowd: DrawnCell = {
    resource: inside[0]!.resource,
    start: inside[0]!.start,
    end: inside.at(-1)!.end,
    isUnread: inside.some(({ isUnread }) => isUnread),
    isWanted: false,
    isExact: false,
    crowd: { date, cells: inside },
  };
  return [...cells.slice(0, first), crowd, ...cells.slice(last + 1)];
}
