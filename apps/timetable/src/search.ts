/** What a search has found, and why nothing is shown. */

import { bookings } from './bookings.js';
import { byId, write } from './dom.js';
import * as grid from './grid.js';
import { isHit } from './rows.js';
import { countText } from './texts.js';
import { isOver } from './time.js';
import { span, view } from './view.js';

const NOTHING_BOOKED = `Nothing is booked here yet. Press “New booking”, and name what is to be shared: a room, \
a desk, a car.`;

/** Says what a search has found or, if nothing is shown, why. @param isFailing whether reads are failing now */
export function showResult(isFailing: boolean): void {
  const found = grid.resources.length;
  const isUnread = bookings.isUnread(span);
  const isMissing = found === 0 && !isUnread && bookings.resources.length > 0;
  const unread = isFailing ? '' : 'Reading…';
  const text = isMissing ? `Nothing in this ${view.span} matches this search.` : NOTHING_BOOKED;
  const reason = isUnread ? unread : text;
  write('empty-text', found > 0 ? '' : reason);
  byId('clear').hidden = !isMissing;
  const isSearch = found > 0 && view.filter + view.free !== '';
  write('found', isSearch ? `Found: ${foundText(found)}` : '');
}

function foundText(found: number): string {
  const hits = grid.resources.flatMap((resource) => bookings.booked(resource, span)).filter((one) => isHit(one, view));
  const resources = countText(found, 'resource');
  return hits.length > 0 ? `${countText(hits.length, 'booking')}, ${resources}` : resources;
}

/** Moves the keyboard's position to the first booking that the search finds and that is not over, and scrolls there. */
export function showFound(): void {
  if (view.filter.trim() === '') return;
  const cells = grid.resources.flatMap(grid.cellsOf);
  const hits = cells.filter(({ isFound }) => isFound);
  const found = hits.find((hit) => !isOver(hit)) ?? hits[0];
  if (found) grid.activate(found.resource, Math.max(found.start, span.start), 'show');
}
