/** A screen on a wall, which nobody touches: it has no controls, and turns over the rows that do not fit. */

import { isWall } from './address.js';
import { scrollToNow } from './agenda.js';
import { grid } from './grid.js';

/** Milliseconds for which some rows are shown before the next ones. */
const TURN = 15_000;

export function startWall(): void {
  if (!isWall) return;
  document.documentElement.classList.add('wall');
  setInterval(turn, TURN);
}

/**
 * Scrolls to the first row of which more than a tenth is below the screen or, in an agenda, to the first such booking
 * that is on now; after the last one, back to the first. The last rows have those before them above, as far as there is
 * room.
 */
function turn(): void {
  const { bottom } = document.querySelector('main')!.getBoundingClientRect();
  const turned = [...document.querySelectorAll('.row:not(.group), #agenda .now')];
  const next = turned.find((element) => {
    const box = element.getBoundingClientRect();
    return box.bottom - box.height / 10 > bottom;
  });
  if (next) {
    next.scrollIntoView();
    const room = bottom - next.closest('#rows, main')!.getBoundingClientRect().bottom;
    const top = next.getBoundingClientRect().top - Math.max(0, room);
    return turned.find((element) => element.getBoundingClientRect().top >= top)!.scrollIntoView();
  }
  grid.scrollTop = 0;
  scrollToNow();
}
