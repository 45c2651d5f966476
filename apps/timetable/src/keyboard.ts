import { cellAt, type DrawnCell } from './cell-view.js';
import { type Grid, HEAD } from './grid.js';
import { type Choices, hourAt } from './pointer.js';
import { keyOf } from './rows.js';
import type { Slot } from './schedule.js';
import { isWithin, pastText, timesText } from './span.js';

const HALF_HOUR = 30 * 60_000;

/**
 * Moves over the grid, which has one tab stop, by the keys of a grid (ARIA Authoring Practices, "Grid Pattern"): over
 * booked and free cells, headings of groups, and the days of a week. Enter opens, books or presses a heading; Shift with
 * an arrow moves an hour to be booked within free time.
 */
export function chooseByKeys(grid: Grid, choices: Choices, say: (text: string) => void): void {
  let chosen: Slot | undefined;

  const go = (row: string, at: number) => {
    const { start, end } = grid.axis.span;
    chosen = undefined;
    grid.mark('chosen');
    grid.activate(row, Math.max(start, Math.min(at, end - 1)), true);
  };
  const goSideways = (row: string, at: number, by: number) => {
    const stops = grid.stopsOf(row);
    const next = stops[stops.findIndex((stop) => isWithin(stop, at)) + by];
    if (next) go(row, next.start);
  };
  const goUpDown = (row: string, at: number, by: number) => {
    const first = grid.axis.span.days.length > 1 ? -1 : 0;
    const index = Math.max(first, Math.min(grid.rows.length - 1, grid.indexOf(row) + by));
    const target = grid.rows[index];
    go(target ? keyOf(target) : HEAD, at);
  };
  const shift = (cell: DrawnCell, at: number, by: number) => {
    const { zone } = grid.axis.span;
    if (cell.booked || cell.crowd || cell.isUnread || !choices.canBook()) return;
    const start = chosen === undefined ? hourAt(cell, at, zone).start : chosen.start + by * HALF_HOUR;
    if (!isWithin(cell, start)) return;
    chosen = hourAt(cell, start, zone);
    grid.active = { row: cell.resource, at: start };
    grid.mark('chosen', chosen);
    grid.reveal('chosen');
    say(`${timesText(zone, chosen.start, chosen.end)}${pastText(chosen)}`);
  };

  grid.element.addEventListener('focusin', ({ target }) => {
    const cell = cellAt(target);
    const { group, date } = (target as HTMLElement).dataset;
    const { active, axis } = grid;
    const row = cell?.resource ?? (group === undefined ? HEAD : `${HEAD}${group}`);
    const range = cell ?? axis.span.days.find((day) => day.date === date) ?? axis.span;
    const isStop = cell !== undefined || group !== undefined || date !== undefined;
    const isThere = active?.row === row && isWithin(range, active.at);
    if (isStop && !isThere) grid.activate(row, Math.max(range.start, axis.span.start), false);
  });
  grid.element.addEventListener('keydown', (event) => {
    const { key, target, shiftKey, ctrlKey } = event;
    if (grid.active === undefined || event.altKey || event.metaKey) return;
    const cell = cellAt(target);
    const { row, at } = grid.active;
    const { start, end, zone } = grid.axis.span;
    const goAside = (by: number) => (shiftKey && cell ? shift(cell, at, by) : goSideways(row, at, by));
    const goToEdge = (instant: number, by: number) => (ctrlKey ? goUpDown(row, instant, by) : go(row, instant));
    const keys: Record<string, () => void> = {
      ArrowLeft: () => goAside(-1),
      ArrowRight: () => goAside(1),
      ArrowUp: () => goUpDown(row, at, -1),
      ArrowDown: () => goUpDown(row, at, 1),
      PageUp: () => goUpDown(row, at, -grid.page()),
      PageDown: () => goUpDown(row, at, grid.page()),
      Home: () => goToEdge(start, -Infinity),
      End: () => goToEdge(end - 1, Infinity),
      Escape: () => {
        choices.close();
        go(row, at);
      },
    };
    if (cell) {
      keys['Enter'] = keys[' '] = () => {
        if (cell.booked || cell.crowd) choices.open(cell);
        else choices.book(chosen ?? hourAt(cell, at, zone));
      };
    }
    const act = keys[key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
}
