import { type DrawnCell, drawCell, drawnCellOf, isFound, ROOM, type RowLook } from './cell-view.js';
import { make } from './dom.js';
import { cellsOf, type Row } from './rows.js';
import { drawRun, type Run } from './run-view.js';
import type { Cell, Schedule } from './schedule.js';

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
  for (const part of partsOf(row.resource, schedule, look, active)) {
    element.append(part.cells.length > 1 ? drawRun(part, look) : drawCell(part.cells[0]!, look));
  }
  return element;
}

/** What is drawn of a row: cells, and in a crowded row runs of short ones. */
function partsOf(resource: string, schedule: Schedule, look: RowLook, active: number | undefined): Run[] {
  const { axis, most, from, to } = look;
  const { span } = axis;
  const isActive = ({ start, end }: Cell) => active !== undefined && active >= start && active < end;
  const isWhole = ({ start, end }: Cell) => start >= span.start && end <= span.end;
  const isEmpty = (cell: DrawnCell) => !cell.booked && !cell.isUnread && !cell.isWanted;
  // By the whole row, so that it looks the same wherever it is scrolled.
  const limit = most * Math.max(1, axis.width / (to - from));
  let cells = cellsOf(schedule, resource, span, look.wanted).map((cell) => drawnCellOf(cell, resource, look.wanted));
  if (cells.length > limit) cells = cells.filter((cell) => !isEmpty(cell) || isActive(cell));
  const isCrowded = cells.length > limit;
  const runs = new Map<unknown, { kind: Run['kind']; cells: DrawnCell[] }>();
  for (const cell of cells) {
    const [left, right] = [axis.x(cell.start), axis.x(cell.end)];
    if (!isActive(cell) && (right < from || left > to)) continue;
    const isAlone = !isCrowded || right - left >= ROOM.crowded || cell.isUnread || isEmpty(cell);
    const kind = cell.isWanted ? 'spare' : isFound(cell, look) ? 'found' : 'several';
    const day = span.days.findIndex(({ end }) => cell.start < end);
    const key = isAlone || isActive(cell) || !isWhole(cell) ? cell : `${kind} ${day}`;
    const run = runs.get(key) ?? { kind, cells: [] };
    run.cells.push(cell);
    runs.set(key, run);
  }
  return [...runs.values()];
}

function drawGroup({ group, count, isCollapsed }: Row & { group: string }): HTMLElement {
  const button = make('button', { type: 'button', ariaExpanded: String(!isCollapsed) }, make('bdi', {}, group));
  button.dataset['group'] = group;
  button.dataset['count'] = String(count);
  button.ariaLabel = `Group ${group}, ${count}`;
  return make('div', { className: 'name', role: 'rowheader' }, button);
}
