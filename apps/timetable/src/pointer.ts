/** Mouse, pen and finger in the grid: a click chooses a cell, a drag chooses a slot of whole quarters of an hour. */

import { book, canBook, cancelDrag, choose, openDay } from './actions.js';
import type { Slot } from './bookings.js';
import { activate, cellFrom, grid, instantAt } from './grid.js';
import { mark } from './marks.js';
import { QUARTER } from './time.js';
import { span } from './view.js';

/** Pixels by which a press must move to become a drag. */
const CLICK_MOVEMENT = 4;

/** A press that may become a drag: where it began. */
interface Press {
  readonly resource: string;
  readonly at: number;
  readonly x: number;
  /** The slot that the drag has chosen so far. */
  slot?: Slot;
}

let press: Press | undefined;

/** Ends a press. @returns the chosen slot, if it was a drag */
export function endPress(): Slot | undefined {
  const slot = press?.slot;
  press = undefined;
  return slot;
}

/** Begins a press of a mouse or a pen: a finger scrolls instead. */
function beginPress(event: PointerEvent): void {
  const cell = cellFrom(event);
  if (event.button !== 0 || event.pointerType === 'touch' || !canBook || !cell || cell.day) return;
  press = { resource: cell.resource, at: instantAt(event.clientX), x: event.clientX };
}

function drag({ clientX, pointerId }: PointerEvent): void {
  if (!press || (!press.slot && Math.abs(clientX - press.x) < CLICK_MOVEMENT)) return;
  // The click that ends the drag then goes to the grid itself, and chooses nothing.
  grid.setPointerCapture(pointerId);
  const to = instantAt(clientX);
  const first = Math.floor(Math.min(press.at, to) / QUARTER) * QUARTER;
  const last = Math.ceil(Math.max(press.at, to) / QUARTER) * QUARTER;
  const start = Math.max(span.start, first);
  const end = Math.min(span.end, Math.max(start + QUARTER, last));
  press.slot = { resource: press.resource, start, end };
  mark('chosen', press.slot);
}

function endDrag(): void {
  const slot = endPress();
  if (!slot) return;
  activate(slot.resource, slot.start);
  book(slot);
}

function click(event: MouseEvent): void {
  const { date } = (event.target as HTMLElement).closest<HTMLElement>('.day')?.dataset ?? {};
  if (date !== undefined) openDay(date);
  const cell = cellFrom(event);
  if (cell === undefined) return;
  // A screen reader's click has no position.
  const at = event.detail === 0 || cell.day ? cell.start : instantAt(event.clientX);
  activate(cell.resource, Math.max(cell.start, Math.min(at, cell.end - 1)));
  choose(cell, at);
}

grid.addEventListener('pointerdown', beginPress);
grid.addEventListener('pointermove', drag);
grid.addEventListener('click', click);
addEventListener('pointerup', endDrag);
addEventListener('pointercancel', () => {
  if (endPress()) cancelDrag();
});
