/** Outlines over the rows of a day: the slot being booked, and a highlighted booking. */

import { bookings, type Slot } from './bookings.js';
import { byId } from './dom.js';
import { drawMark } from './drawing.js';
import { grid, rowElement } from './grid.js';
import { overlap } from './time.js';
import { span } from './view.js';

/** `chosen` is the slot being booked; `open` the booking that is shown, was clicked, or conflicts with the slot. */
const MARKS = ['chosen', 'open'] as const;
type MarkName = (typeof MARKS)[number];

const marks = new Map<MarkName, Slot>();

export function mark(name: MarkName, slot: Slot | undefined): void {
  if (slot) marks.set(name, slot);
  else marks.delete(name);
  drawMarks();
}

/** Scrolls a mark into sight. */
export function reveal(name: MarkName): void {
  byId(name).scrollIntoView({ block: 'nearest' });
}

export function drawMarks(): void {
  for (const name of MARKS) {
    const slot = marks.get(name);
    const isShown = slot && !span.isWeek && overlap(slot, span);
    const row = isShown && rowElement(slot.resource);
    byId(name).hidden = !row;
    if (row) drawMark(byId(name), slot, span, row.offsetTop, bookings.booked(slot.resource, slot).length > 0);
  }
}

// Marks stay in sight when the panel narrows the grid.
new ResizeObserver(() => MARKS.forEach(reveal)).observe(grid);
