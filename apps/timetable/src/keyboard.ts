import type { Grid } from './grid.js';
import { type Choices, hourAt } from './pointer.js';
import { cellAt, type DrawnCell } from './cell-view.js';
import type { Slot } from './schedule.js';
import { isWithin, timesText } from './span.js';

const HALF_HOUR = 30 * 60_000;

/**
 * Moves over the cells of the grid, booked and free, by the keys of a grid (ARIA Authoring Practices, "Grid Pattern").
 * Enter opens or books; Shift with an arrow moves an hour to be booked within free time; A lists a resource.
 */
export function chooseByKeys(grid: Grid, choices: Choices, say: (text: string) => void): void {
  let chosen: Slot | undefined;

  const go = (resource: string, at: number) => {
    const { start, end } = grid.axis.span;
    chosen = undefined;
    grid.mark('chosen');
    grid.activate(resource, Math.max(start, Math.min(at, end - 1)), true);
  };
  const goSideways = ({ resource, start, end }: DrawnCell, by: 1 | -1) => {
    const { span } = grid.axis;
    const cells = grid.cellsOf(resource);
    const next = cells[cells.findIndex((other) => other.start === start && other.end === end) + by];
    if (next !== undefined) go(resource, Math.max(next.start, span.start));
  };
  const goUpDown = ({ resource }: DrawnCell, at: number, by: number) => {
    const index = grid.indexOf(resource);
    const step = Math.sign(by);
    let target: string | undefined;
    for (let next = index + step, left = Math.abs(by); left > 0 && grid.rows[next] !== undefined; next += step) {
      const row = grid.rows[next]!;
      left -= 1;
      if (row.group === undefined) target = row.resource;
      // Headings are skipped.
      else if (left === 0) left = 1;
    }
    if (target !== undefined) go(target, at);
  };
  const shift = (cell: DrawnCell, at: number, by: 1 | -1) => {
    if (cell.booked) return;
    const first = hourAt(cell, at, grid.axis.span.zone);
    const start = chosen === undefined ? first.start : chosen.start + by * HALF_HOUR;
    if (!isWithin(cell, start)) return;
    chosen = hourAt(cell, start, grid.axis.span.zone);
    grid.active = { resource: cell.resource, at: start };
    grid.mark('chosen', chosen);
    grid.reveal('chosen');
    say(timesText(grid.axis.span.zone, chosen.start, chosen.end));
  };

  grid.element.addEventListener('focusin', (event) => {
    const found = cellAt(event.target);
    const { active } = grid;
    if (found === undefined || active === undefined) return;
    const { resource, start } = found.cell;
    const isThere = active.resource === resource && isWithin(found.cell, active.at);
    if (!isThere) grid.activate(resource, Math.max(start, grid.axis.span.start), false);
  });
  grid.element.addEventListener('keydown', (event) => {
    const found = cellAt(event.target);
    if (found === undefined || grid.active === undefined || event.altKey || event.metaKey) return;
    const { cell } = found;
    const { at } = grid.active;
    const { start, end } = grid.axis.span;
    const goToEdge = (instant: number, by: number) => {
      go(cell.resource, instant);
      if (event.ctrlKey) goUpDown(cell, instant, by);
    };
    const keys: Record<string, () => void> = {
      ArrowLeft: () => (event.shiftKey ? shift(cell, at, -1) : goSideways(cell, -1)),
      ArrowRight: () => (event.shiftKey ? shift(cell, at, 1) : goSideways(cell, 1)),
      ArrowUp: () => goUpDown(cell, at, -1),
      ArrowDown: () => goUpDown(cell, at, 1),
      PageUp: () => goUpDown(cell, at, -grid.page()),
      PageDown: () => goUpDown(cell, at, grid.page()),
      Home: () => goToEdge(start, -grid.rows.length),
      End: () => goToEdge(end - 1, grid.rows.length),
      Enter: () => (cell.booked ? choices.open(cell) : choices.book(chosen ?? hourAt(cell, at, grid.axis.span.zone))),
      Escape: () => go(cell.resource, at),
    };
    keys[' '] = keys['Enter']!;
    keys['a'] = () => choices.list(cell.resource);
    const act = keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
}
