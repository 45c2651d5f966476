/** A screen on a wall, which nobody touches: it has no controls, and turns over the rows that do not fit. */

import { isWall } from './address.js';
import { byId } from './dom.js';
import { grid, resources, rowElement } from './grid.js';

/** Milliseconds for which some rows are shown before the next ones. */
const TURN = 15_000;

export function startWall(): void {
  if (!isWall) return;
  document.documentElement.classList.add('wall');
  setInterval(turn, TURN);
}

/** Scrolls to the first row that is not whole in sight, below the heading of its group; after the last row, to the top. */
function turn(): void {
  const height = grid.clientHeight - byId('head').offsetHeight;
  const rows = resources.flatMap((resource) => rowElement(resource) ?? []);
  const next = rows.find((row) => row.offsetTop + row.offsetHeight > grid.scrollTop + height + 1);
  const heading = grid.querySelector<HTMLElement>('.group')?.offsetHeight ?? 0;
  grid.scrollTop = next ? next.offsetTop - heading : 0;
}
