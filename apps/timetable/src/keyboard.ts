import { cellAt } from './cell-view.js';
import { type Grid, HEAD } from './grid.js';
import { type Choices, hourAt } from './pointer.js';
import { isWithin } from './span.js';

/**
 * Moves over the grid, which has one tab stop, by the keys of a grid (ARIA Authoring Practices, "Grid Pattern"): over
 * booked and free cells, and the days of a week. Enter opens or books.
 */
export function chooseByKeys(grid: Grid, choices: Choices): void {
  const go = (row: string, at: number) => {
    const { start, end } = grid.axis.span;
    grid.activate(row, Math.max(start, Math.min(at, end - 1)), true);
  };
  const goSideways = (row: string, at: number, by: number) => {
    const stops = grid.stopsOf(row);
    const next = stops[stops.findIndex((stop) => isWithin(stop, at)) + by];
    if (next) go(row, next.start);
  };
  const goUpDown = (row: string, at: number, by: number) => {
    const resources = grid.rows.flatMap((one) => (one.group === undefined ? [one.resource] : []));
    const rows = grid.axis.span.days.length > 1 ? [HEAD, ...resources] : resources;
    go(rows[Math.max(0, Math.min(rows.length - 1, rows.indexOf(row) + by))]!, at);
  };

  grid.element.addEventListener('focusin', ({ target }) => {
    const cell = cellAt(target);
    const { date } = (target as HTMLElement).dataset;
    const { active, axis } = grid;
    const row = cell?.resource ?? HEAD;
    const range = cell ?? axis.span.days.find((day) => day.date === date) ?? axis.span;
    const isStop = cell !== undefined || date !== undefined;
    const isThere = active?.row === row && isWithin(range, active.at);
    if (isStop && !isThere) grid.activate(row, Math.max(range.start, axis.span.start), false);
  });
  grid.element.addEventListener('keydown', (event) => {
    const { key, target, ctrlKey } = event;
    if (grid.active === undefined || event.altKey || event.metaKey) return;
    const cell = cellAt(target);
    const { row, at } = grid.active;
    const { start, end, zone } = grid.axis.span;
    const goToEdge = (instant: number, by: number) => (ctrlKey ? goUpDown(row, instant, by) : go(row, instant));
    const keys: Record<string, () => void> = {
      ArrowLeft: () => goSideways(row, at, -1),
      ArrowRight: () => goSideways(row, at, 1),
      ArrowUp: () => goUpDown(row, at, -1),
      ArrowDown: () => goUpDown(row, at, 1),
      PageUp: () => goUpDown(row, at, -grid.page()),
      PageDown: () => goUpDown(row, at, grid.page()),
      Home: () => goToEdge(start, -Infinity),
      End: () => goToEdge(end - 1, Infinity),
      Escape: () => choices.close(),
    };
    if (cell) {
      keys['Enter'] = keys[' '] = () => {
        if (cell.booked || cell.crowd) choices.open(cell);
        else choices.book(hourAt(cell, at, zone));
      };
    }
    const act = keys[key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
}
